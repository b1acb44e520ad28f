import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [svelte()],
  resolve: { alias: { $texts: folder("../src/knobel/texts") } },
  build: {
    outDir: folder("../src/knobel/server/static"),
    emptyOutDir: true,
    assetsInlineLimit: 0, // no data: addresses, so the content security policy can stay strict
    modulePreload: { polyfill: false },
  },
  server: { fs: { allow: [folder("."), folder("../src/knobel/texts")] } },
  test: { include: ["src/**/*.test.ts"] },
});
