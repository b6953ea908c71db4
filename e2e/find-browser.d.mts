export function findBrowser(): string | undefined;
export function browserArguments(): string[];
