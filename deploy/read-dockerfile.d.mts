/** The types of read-dockerfile.mjs, for the tests. */
export interface Step {
  readonly instruction: string;
  readonly words: readonly string[];
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name?: string;
  readonly steps: readonly Step[];
}

export function readDockerfile(text: string): readonly Stage[];
