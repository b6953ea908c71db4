import { Server } from 'node:net';
import { connect } from 'node:tls';
import { expect, it, vi } from 'vitest';
import { startMailProvider } from '../../../src/service/demo/mail-provider.ts';
import { breakOffUpload } from '../../break-off-upload.ts';

it('outlives a browser that breaks off its request', async () => {
  const rejected: unknown[] = [];
  const keep = (reason: unknown) => rejected.push(reason);
  process.on('unhandledRejection', keep);
  const provider = await startMailProvider();
  const [, port] = provider.place.split(':');
  const open = (port: number, host: string) => connect({ port, host, rejectUnauthorized: false });
  await breakOffUpload(Number(port), '/issue', open);
  // When it has stopped, it has seen the end of all connections.
  await provider.stop();
  process.off('unhandledRejection', keep);
  expect(rejected).toEqual([]);
});

it('says that it cannot listen, instead of ending the process', async () => {
  const error = new Error('EMFILE');
  vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
    setImmediate(() => this.emit('error', error));
    return this;
  });
  await expect(startMailProvider()).rejects.toBe(error);
});
