export function run(
  command: string,
  parameters: readonly string[],
  limits?: { readonly whole: number; readonly silence: number },
): Promise<boolean>;
