export function requireOpenFiles(): void;
export function whyTooFewFiles(limits: string): string | undefined;
