/** Real processes for tests: they run a TypeScript file, and a test can kill them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

/** A process that writes JSON lines. */
export interface Child {
  /** The value of its next line. */
  next<Value>(): Promise<Value>;
  /** Sends it a line. */
  send(line: string): void;
  /** Ends it at once, and waits for its end. */
  kill(): Promise<void>;
  /** Stops it in place, as a machine that is suspended. `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
  /** Resolves when it has ended by itself. */
  ended(): Promise<void>;
}

/** Bundles the file once. After the tests of the file that calls it, the remaining processes are killed. */
export async function prepareChildren(file: string) {
  const folder = mkdtempSync(join(tmpdir(), 'evw-child-'));
  const outfile = join(folder, 'child.mjs');
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    // Bundled CommonJS modules call `require`.
    banner: {
      js: "import { createRequire as requireIn } from 'node:module'; const require = requireIn('/');",
    },
    logLevel: 'silent',
  });
  const started: Child[] = [];
  const children = {
    /** Starts a process with this environment. */
    start(environment: Record<string, string>): Child {
      const child = follow(
        spawn(process.execPath, [outfile], {
          env: { ...process.env, ...environment },
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      );
      started.push(child);
      return child;
    },
    /** Starts a process that writes a line when it works, and waits for that line. */
    async startWorking(environment: Record<string, string>): Promise<Child> {
      const child = children.start(environment);
      await child.next<string>();
      return child;
    },
    /** Ends all processes at once. */
    async end() {
      await Promise.all(started.map((child) => child.kill()));
    },
  };
  afterAll(async () => {
    await children.end();
    rmSync(folder, { recursive: true, force: true });
  });
  return children;
}

function follow(child: ChildProcess): Child {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  child.stdin!.on('error', () => {});
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    async next<Value>() {
      const { value, done } = await lines.next();
      if (done) throw new Error('Expected a line from the process, got its end.');
      return JSON.parse(value) as Value;
    },
    send: (line) => void child.stdin!.write(`${line}\n`),
    async kill() {
      if (isOver()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async ended() {
      if (!isOver()) await once(child, 'exit');
    },
  };
}
