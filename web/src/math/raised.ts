// Powers in plain text, raised: 2^-59 as 2⁻⁵⁹, m/s^2 as m/s².

export const raised = (text: string): string =>
  text.replace(/\^(-?\d+)/g, (_, power: string) => [...power].map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)] ?? "⁻").join(""));
