// Powers in plain text, raised: 2^-59 as 2⁻⁵⁹, m/s^2 as m/s², 4e-09 as 4·10⁻⁹.

const up = (power: number): string => [...String(power)].map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)] ?? "⁻").join("");

export const raised = (text: string): string =>
  text.replace(/\^(-?\d+)/g, (_, power: string) => up(Number(power)))
    .replace(/\b(\d+(?:\.\d+)?)e([+-]\d+)\b/g, (_, front: string, power: string) => (front === "1" ? "" : `${front}·`) + `10${up(Number(power))}`);
