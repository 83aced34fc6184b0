// npm run samples [folder]: the sample pages, made from dist/report.html.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runnerImport } from "vite";

const folder = process.argv[2] ?? "build/samples";
const { module } = await runnerImport(new URL("./page.ts", import.meta.url).pathname, { configFile: false });
const html = readFileSync(new URL("../dist/report.html", import.meta.url), "utf8");
mkdirSync(folder, { recursive: true });
for (const name of Object.keys(module.samples)) {
  writeFileSync(join(folder, `${name}.html`), module.sample_page(html, name));
  console.log(join(folder, `${name}.html`));
}
