/** The official client in the test's own process, pointed at our service. */
import { loadTool } from '../../../.ci/tools/tools.mjs';
import { failureOf } from '../../message-of.ts';

/** What the client rejects with. */
export interface ClientError {
  readonly message: string;
  readonly code: number;
}

/** What the client resolves with for a batch. */
export interface ClientBatch {
  readonly id?: string;
  readonly message: string;
  readonly processed?: number;
  readonly total?: number;
  readonly emails?: readonly { readonly email: string; readonly state: string }[];
  readonly total_counts?: Readonly<Record<string, number>>;
  readonly reason_counts?: Readonly<Record<string, number>>;
}

/** The part of the client that the tests use. */
interface Client {
  readonly batches: {
    verify(emails: readonly string[], options?: object): Promise<ClientBatch & { readonly id: string }>;
    status(id: string, options?: object): Promise<ClientBatch>;
  };
  /** Its axios. */
  readonly client: {
    readonly instance: {
      defaults: { baseURL: string; proxy?: false };
      interceptors: { request: { use(look: (config: { baseURL?: string }) => object): void } };
    };
  };
}

/** @param address of the service. A request to any other one fails. */
export function connectClient(address: string, key?: string): Client {
  const client: Client = loadTool('emailable')(key);
  const { instance } = client.client;
  const baseURL = `${address}/v1/`;
  instance.defaults.baseURL = baseURL;
  // An HTTP proxy of the environment would be a way out.
  instance.defaults.proxy = false;
  instance.interceptors.request.use((config) => {
    if (config.baseURL === baseURL) return config;
    throw new Error(`Expected a request to ${baseURL}, got one to ${config.baseURL}.`);
  });
  return client;
}

/** The error of a request that must fail. */
export async function errorOf(request: Promise<unknown>): Promise<ClientError> {
  const error = await failureOf(request);
  if (error === undefined) throw new Error('Expected the request to fail, and it did not.');
  return error as ClientError;
}
