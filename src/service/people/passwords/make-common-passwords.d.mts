export function makeCommonPasswords(): string;
