/**
 * The time of one sequence. vitest's fake timers wait for real ones at each step of asynchronous time, which ten
 * thousand sequences cannot afford; and this one tells what has been left running.
 */

interface Task {
  readonly id: number;
  readonly due: number;
  readonly delayMs: number;
  /** Of the service, not of the page. */
  readonly outside: boolean;
  run(): void;
}

/** Lets everything happen that waits for nothing but its turn. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

export class Clock {
  now = 0;
  #tasks: Task[] = [];
  #frames = new Map<number, () => void>();
  #count = 0;

  readonly setTimeout = (run: () => void, delayMs = 0) => this.#add(run, delayMs, false);

  readonly clearTimeout = (id: number | undefined) => {
    this.#tasks = this.#tasks.filter((task) => task.id !== id);
  };

  readonly requestAnimationFrame = (run: () => void) => {
    this.#frames.set(++this.#count, run);
    return this.#count;
  };

  readonly cancelAnimationFrame = (id: number) => {
    this.#frames.delete(id);
  };

  /** What happens at the service, whatever becomes of the page. */
  later(run: () => void, delayMs: number) {
    this.#add(run, delayMs, true);
  }

  /** What the page still waits for, except for what is due at once: that ends the present task. */
  get running(): string[] {
    const timers = this.#tasks.filter(({ outside, delayMs }) => !outside && delayMs > 0);
    return [
      ...timers.map(({ delayMs }) => `a timer of ${delayMs} ms`),
      ...[...this.#frames.keys()].map(() => 'an animation frame'),
    ];
  }

  async pass(delayMs: number) {
    const end = this.now + delayMs;
    for (;;) {
      const [next] = this.#tasks.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due || a.id - b.id);
      if (!next) break;
      this.clearTimeout(next.id);
      this.now = Math.max(this.now, next.due);
      next.run();
      await settle();
    }
    this.now = end;
  }

  /** The machine sleeps: what was due meanwhile happens late, and once. */
  async sleep(delayMs: number) {
    this.now += delayMs;
    await this.pass(0);
  }

  /** The next picture is drawn. */
  draw() {
    const frames = [...this.#frames.values()];
    this.#frames.clear();
    for (const run of frames) run();
  }

  #add(run: () => void, delayMs: number, outside: boolean) {
    this.#tasks.push({ id: ++this.#count, due: this.now + delayMs, delayMs, outside, run });
    return this.#count;
  }
}
