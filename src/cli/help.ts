/** The help text: every command with its flags and one example. */
import type { Command, Flag } from './command.ts';

/** How the command is called from the project's folder. */
const CALL = 'npm run --silent admin --';
/** The widest line of the text. */
const WIDTH = 100;

const INTRODUCTION = `Usage: ${CALL} [--config FILE] COMMAND [FLAGS]

Manages accounts, keys, credits, batches and apps. It works while the service runs, and without it.
It prints the result as one JSON value on standard output.
It prints an error as one line on standard error.

  --config FILE   The service's config file, before or after the command. Its "database" names
                  the database: a postgres:// URL, or a folder relative to the config file.
  --help, -h      Prints this text. After a command, prints the help of that command.
  DATABASE_URL    This environment variable replaces the "database" of the config file. Every other
                  setting has a variable too, such as EVW_LIVE_HELO: see docs/configuration.md.

Write a flag as --flag VALUE or --flag=VALUE. Passwords and secrets come from files.
Exit codes: 0 done, 1 database or folder unavailable or books that differ, 2 wrong command, flag,
value or file.
`;

/**
 * @param commands the commands to describe
 * @param isWhole whether they are all commands, which adds the introduction
 */
export function helpText(commands: readonly Command[], isWhole: boolean): string {
  const sections = commands.map(describeCommand);
  return [...(isWhole ? [INTRODUCTION, 'Commands:\n'] : []), ...sections].join('\n');
}

const NOTES = { required: 'Required. ', repeatable: 'Repeatable. ', optional: '' };

function describeCommand(command: Command): string {
  const { operand } = command;
  const usages = [
    ...(operand ? [{ usage: operand.placeholder, text: `Required. ${operand.description}` }] : []),
    ...Object.entries(command.flags).map(([name, flag]) => ({
      usage: flagUsage(name, flag),
      text: NOTES[flag.times] + flag.description,
    })),
  ];
  const column = Math.max(0, ...usages.map(({ usage }) => usage.length)) + 2;
  const lines = usages.map(({ usage, text }) => wrap(`    ${usage.padEnd(column)}`, text, column + 4));
  return [
    wrap(command.words.join(' '), usageOf(command), 6),
    wrap('    ', command.description, 4),
    ...lines,
    `    Example: ${CALL} --config service.json ${command.example}`,
    '',
  ].join('\n');
}

/** The arguments and flags after the words of a command, in one line. Optional ones are in brackets. */
function usageOf(command: Command): string {
  const flags = Object.entries(command.flags).map(([name, flag]) => {
    const usage = flagUsage(name, flag).replaceAll(' ', '\u00A0');
    if (flag.times === 'required') return usage;
    return flag.times === 'repeatable' ? `[${usage}]…` : `[${usage}]`;
  });
  return [...(command.operand ? [command.operand.placeholder] : []), ...flags].join(' ');
}

function flagUsage(name: string, { placeholder }: Flag): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
}

/** Adds words to the start of a line and breaks it between them. The lines after the first are indented. */
function wrap(start: string, text: string, indent: number): string {
  const lines: string[] = [];
  let line = start;
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const gap = line.endsWith(' ') ? '' : ' ';
    if (line.length + gap.length + word.length > WIDTH) {
      lines.push(line);
      line = ' '.repeat(indent) + word;
    } else {
      line += gap + word;
    }
  }
  // A flag and its value stay on one line: the space between them does not break.
  return [...lines, line].join('\n').replaceAll('\u00A0', ' ');
}
