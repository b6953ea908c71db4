/** A command that was right, and could not do its work. It ends with exit code 1 and prints the message as one line. */
export class CommandError extends Error {}
