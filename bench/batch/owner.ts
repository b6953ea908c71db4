/** An owner of an account that may send large batches, and a way to its pages. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { Visitor } from '../../test/service/support/visitor.ts';
import type { Server } from '../service/server.ts';
import type { BatchWorld } from './world.ts';

const PASSWORD = 'correct horse battery';
const LOOK_MS = 50;

/** @param count the most entries of a batch */
export async function openOwner(world: BatchWorld, count: number) {
  const service = await world.startService();
  const passwordFile = join(tmpdir(), `bench-password-${process.pid}`);
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  try {
    const email = 'large@example.com';
    const { key } = await world.admin.createAccount(email, count, ['--password-file', passwordFile]);
    await world.admin.run('account', 'limits', '--email', email, '--batch-size', String(count));
    const readFor = async (ms: number) => {
      const end = performance.now() + ms;
      while (performance.now() < end) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    };
    return { service, owner: { email, key, readFor } };
  } finally {
    rmSync(passwordFile);
  }
}

export async function signIn(service: Server, { email }: { readonly email: string }): Promise<Visitor> {
  const visitor = new Visitor(reach(service));
  return visitor.signIn({ email }, PASSWORD);
}

/** A process of the service as an app. */
const reach = ({ origin }: Server) => ({
  async inject({ method, url, headers, payload }: InjectOptions): Promise<LightMyRequestResponse> {
    const response = await fetch(`${origin}${url}`, {
      ...{ method: method!, headers: headers as Record<string, string>, redirect: 'manual' },
      ...(payload !== undefined && { body: payload as string }),
    });
    const cookies = response.headers.getSetCookie().map((cookie) => {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      return { name: name!, value: value! };
    });
    return {
      ...{ statusCode: response.status, headers: Object.fromEntries(response.headers), cookies },
      body: await response.text(),
    } as unknown as LightMyRequestResponse;
  },
});
