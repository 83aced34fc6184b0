// Builds the front end into one file, dist/report.html: script, style and fonts inside, nothing fetched.
import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import type { Plugin, ViteDevServer } from "vite";

// Every browser that runs the page reads woff2: the other two forms of each KaTeX font stay out, and so do faces that equations of motion
// never use.
function few_fonts(): Plugin {
  return {
    name: "few-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!/katex.*\.css/.test(id)) return;
      const used = code.replace(/@font-face\s*\{[^}]*KaTeX_(?:Fraktur|SansSerif|Script|Typewriter)[^}]*\}/g, "");
      return used.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'](?:woff|truetype)["']\)/g, "");
    },
  };
}

// The script and the style go into the page itself; the files they came from are not written.
function one_file(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const pages = Object.values(bundle).filter((one) => one.fileName.endsWith(".html"));
      for (const page of pages) {
        if (page.type !== "asset") continue;
        let html = String(page.source);
        for (const [key, file] of Object.entries(bundle)) {
          const name = file.fileName.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
          if (file.type === "chunk") {
            // `</script` and `<!--` would end or bend the element: both can stand only in strings and comments.
            const code = file.code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "\\x3C!--");
            html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`), "");
            html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
            delete bundle[key];
          } else if (file.fileName.endsWith(".css")) {
            html = html.replace(new RegExp(`\\s*<link[^>]*href="[^"]*${name}"[^>]*>`), () => `\n<style>${String(file.source)}</style>`);
            delete bundle[key];
          }
        }
        page.source = html;
        page.fileName = "report.html";
      }
    },
  };
}

// `npm run dev` shows a sample in place of the placeholders: http://localhost:5173/?sample=four_bar
function samples(): Plugin {
  let server: ViteDevServer;
  return {
    name: "samples",
    apply: "serve",
    configureServer: (one) => void (server = one),
    transformIndexHtml: {
      order: "pre",
      async handler(html, context) {
        const { sample_page } = await server.ssrLoadModule("/samples/page.ts");
        return sample_page(html, new URL(context.originalUrl ?? "/", "http://localhost").searchParams.get("sample") ?? "");
      },
    },
  };
}

export default defineConfig({
  plugins: [few_fonts(), one_file(), samples()],
  define: { __FRONT_END__: JSON.stringify(JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).version) },
  build: {
    target: "es2022",
    assetsInlineLimit: 1 << 30,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { output: { codeSplitting: false } },
  },
  // Limits that only a hang reaches: a busy machine is slow, not wrong.
  test: {
    include: ["test/**/*.test.ts"],
    environment: "node",
    testTimeout: 1800000,
    hookTimeout: 1800000,
    teardownTimeout: 300000,
    expect: { poll: { timeout: 300000, interval: 100 } },
  },
});
