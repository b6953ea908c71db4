/** The option `--only` of the bench: names of figures, or the beginnings of names, separated by commas. */

/** @param only undefined for all figures */
export const isWanted = (name: string, only = ''): boolean =>
  only.split(',').some((beginning) => name.startsWith(beginning));
