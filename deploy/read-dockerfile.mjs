/** Reads a Dockerfile, as far as ours needs it: stages and their steps, with joined lines and without comments. */

/** @returns {{ base: string, name?: string, steps: { instruction: string, words: string[], text: string }[] }[]} */
export function readDockerfile(text) {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const stages = [];
  for (const line of lines.filter((line) => line.trim() !== '')) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line);
    const words = rest.split(/ +/);
    if (instruction === 'FROM') stages.push({ base: words[0], name: words[2], steps: [] });
    else stages.at(-1).steps.push({ instruction, words, text: rest });
  }
  return stages;
}
