// How the site is built: relative addresses only, so that it works below any path.
import { defineConfig } from 'vite';

/** Who shows a preview of a link asks for its picture by a whole address: that of the site, with a `/` at its end. */
const absolutePreview = {
  name: 'absolute-preview',
  transformIndexHtml: (html: string) =>
    html.replace('"./assets/preview.png"', `"${process.env.SITE_URL ?? './'}assets/preview.png"`),
};

export default defineConfig({
  base: './',
  plugins: [absolutePreview],
  build: {
    target: 'es2023',
    // A file of few bytes takes as long as a larger one.
    cssCodeSplit: false,
    // Data addresses would be blocked by the content security policy of index.html.
    assetsInlineLimit: 0,
    // What is bundled asks to be named where it is distributed.
    license: { fileName: 'assets/licences.md' },
    modulePreload: { polyfill: false },
  },
});
