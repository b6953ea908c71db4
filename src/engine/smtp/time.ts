/** The remaining milliseconds of a step that has to end in time. */
export type Countdown = ReturnType<typeof countdown>;

export function countdown(ms: number) {
  let end = performance.now() + ms;
  return {
    left: () => Math.max(0, end - performance.now()),
    extend(more: number) {
      end += more;
    },
  };
}
