/** Where the repository has a path at a commit, if the site was built by its workflow or in a clone of it. */
export function inRepository(path: string, commit = 'HEAD'): string | null {
  const repository = import.meta.env.REPOSITORY;
  return repository ? `https://github.com/${repository}/tree/${commit}/${path}` : null;
}
