/** Real processes for tests: they run a TypeScript file, and a test can kill them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** A process that writes JSON lines. */
export interface Child {
  /** The value of its next line. */
  next<Value>(): Promise<Value>;
  /** Sends it a line. */
  send(line: string): void;
  /** Ends it at once, and waits for its end. */
  kill(): Promise<void>;
}

/** Bundles the file once. Call `remove` after the tests. It kills the remaining processes. */
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
  return {
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
    async remove() {
      await Promise.all(started.map((child) => child.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function follow(child: ChildProcess): Child {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  child.stdin!.on('error', () => {});
  return {
    async next<Value>() {
      const { value, done } = await lines.next();
      if (done) throw new Error('Expected a line from the process, got its end.');
      return JSON.parse(value) as Value;
    },
    send: (line) => void child.stdin!.write(`${line}\n`),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
