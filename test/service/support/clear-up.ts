import type { Task } from '../../../src/service/app/housekeeping.ts';

/** Does all tasks of the housekeeping, one after the other and completely. */
export async function clearUp(tasks: readonly Task[]): Promise<void> {
  for (const { step } of tasks) while (await step());
}
