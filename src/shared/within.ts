/** Bounds a wait. The work goes on after it. */

/** The value of the promise, or the other value if it takes longer than `ms` milliseconds. */
export async function within<Value, Other = undefined>(
  ms: number,
  promise: Promise<Value>,
  otherwise?: Other,
): Promise<Value | Other> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Other>((resolve) => {
    timer = setTimeout(() => resolve(otherwise as Other), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
