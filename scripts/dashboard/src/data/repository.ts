/** Where the repository has a path at a commit, if the site was built by its workflow or in a clone of it. */
export const inRepository = (path: string, commit = 'HEAD'): string | null =>
  import.meta.env.REPOSITORY ? `https://github.com/${import.meta.env.REPOSITORY}/tree/${commit}/${path}` : null;
