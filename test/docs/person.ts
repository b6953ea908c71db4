/** A person at a browser without scripts, who visits a service in a process of its own. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { Visitor } from '../service/support/visitor.ts';

/** @param address the service's, without a slash at the end */
export const visitorAt = (address: string) => new Visitor({ inject: (options) => sendTo(address, options) });

/** Sends one request and follows no redirect. It returns what a visitor looks at. */
async function sendTo(address: string, options: InjectOptions): Promise<LightMyRequestResponse> {
  const { method = 'GET', url, headers, payload } = options;
  const response = await fetch(new URL(String(url), address), {
    method,
    headers: headers as Record<string, string>,
    redirect: 'manual',
    ...(payload !== undefined && { body: String(payload) }),
  });
  const cookies = response.headers.getSetCookie().map((line) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    return { name, value };
  });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    cookies,
    body: await response.text(),
  } as LightMyRequestResponse;
}
