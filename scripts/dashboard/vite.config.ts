// How the site is built: relative addresses only, so that it works below any path.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { defineConfig, type Plugin } from 'vite';

/** A link preview needs its picture's whole address; `SITE_URL` is the site's, with a `/` at its end. */
const absolutePreview = {
  name: 'absolute-preview',
  transformIndexHtml: (html: string) =>
    html.replace('"./assets/preview.png"', `"${process.env.SITE_URL ?? './'}assets/preview.png"`),
};

/** The frame is requested with the page, and not by the little code that comes before it. */
const preloadFrame: Plugin = {
  name: 'preload-frame',
  transformIndexHtml: (_, { bundle }) =>
    Object.values(bundle ?? {})
      .filter(file => file.type === 'chunk' && file.name === FRAME)
      .map(({ fileName }) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `./${fileName}` },
        injectTo: 'head',
      })),
};
const FRAME = 'frame';
/**
 * What most views share, and the page of a framework, which reads most files; what another has for itself is in its own file, and what runs
 * before all else with the page.
 */
const OF_FRAME =
  /src\/(app\/(?!route\.|views\.)|(data|ui)\/(?!lanes|variants|protocols|scaling|history|schedule|percentiles)|charts\/(area|differences|interval|scale|palette|picture|releases)|views\/(framework|compare\/result|breaks\/changed))|published\/words/;

/** The policy lets the page's own script run by its hash, so the theme takes no request. */
const hashOfInlineScript = {
  name: 'hash-of-inline-script',
  transformIndexHtml: {
    order: 'post' as const,
    handler: (html: string) => {
      const script = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? '';
      const hash = createHash('sha256').update(script).digest('base64');
      return html.replace("script-src 'self'", `$& 'sha256-${hash}'`);
    },
  },
};

/** The repository on GitHub, as `owner/name`: the one whose workflow builds the site, or that this is a clone of. */
function repository(): string | null {
  const { stdout } = spawnSync('git', ['config', '--get', 'remote.origin.url'], { encoding: 'utf8' });
  return process.env.GITHUB_REPOSITORY ?? /github\.com[:/](.+?)(\.git)?\s*$/.exec(stdout ?? '')?.[1] ?? null;
}

export default defineConfig({
  base: './',
  define: { 'import.meta.env.REPOSITORY': JSON.stringify(repository()) },
  plugins: [absolutePreview, hashOfInlineScript, preloadFrame],
  build: {
    target: 'es2023',
    // A file of few bytes takes as long as a larger one.
    cssCodeSplit: false,
    // The content security policy allows data addresses of pictures only.
    assetsInlineLimit: 0,
    // Bundled packages must be named where they are distributed.
    license: { fileName: 'assets/licences.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: FRAME, test: OF_FRAME }] },
      },
    },
  },
});
