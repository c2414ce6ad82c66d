/** Where the repository has a path at a commit, if the site is one of GitHub Pages: its address names the repository. */
export function inRepository(path: string, commit = 'HEAD'): string | null {
  const [, owner] = /^(.+)\.github\.io$/.exec(location.hostname) ?? [];
  const repository = location.pathname.split('/')[1] || location.hostname;
  return owner === undefined ? null : `https://github.com/${owner}/${repository}/tree/${commit}/${path}`;
}
