/**
 * Decides who may use a route of the API. The order of checks: credential (401, 403), origin or IP address (403), rate
 * (429). A route sets its rule in `config.access`, and gets the key from `request.admitted`.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Failure, Refusal } from '../core/failures.ts';
import { takesCredentials } from '../http/answer-headers.ts';
import { clientIp } from '../http/client-ip.ts';
import { type LargeBody, largeBodyOf } from '../http/large-field.ts';
import { collectParameters, type Parameters, queryParameters, wellFormedQuery } from '../http/parameters.ts';
import type { Key, KeyRing, MaybePromise } from '../keys/key.ts';
import type { NetworkLimit } from '../limits/network-limit.ts';
import { type Caller, findCaller, identify } from './caller.ts';
import { setReadableBy, setUnreadable } from './cors.ts';
import { isMadeToken, misplacedCredential } from './credential.ts';
import { admit, type Sender } from './key-admission.ts';
import { type CountRate, type Endpoint, tellRate } from './request-rate.ts';
import { senderOrigin } from './sender-origin.ts';

/** The rule of a route for its callers. */
export interface AccessRule {
  /** The endpoint whose rate limit the requests count for. */
  readonly endpoint: Endpoint;
  /** Whether public keys may use the route. All others get a 403 for them. */
  readonly publicKeys: boolean;
  /** Whether test keys may. @default true */
  readonly testKeys?: boolean;
  /** The failure for such keys. @default `publicKeyRefused` */
  readonly refusal?: 'publicKeyRefused' | 'explanationRefused';
  /** Whether keys of the config are refused, because they belong to no account. @default false */
  readonly needsAccount?: boolean;
  /**
   * Whether the handler counts the request itself, with its work. A request that fails before that is counted when it
   * fails. @default every request is counted when it enters
   */
  readonly isCountedLater?: (key: Key) => boolean;
  /** The parameters that a multipart body may have as files. @default none */
  readonly files?: readonly string[];
  /** What a key may send in a body that is larger than the route's limit. @default nothing */
  readonly largeBody?: (key: Key) => LargeBody | undefined;
  /** Merges the parameters of the request into one value for the route's schema. */
  readonly merge: (parameters: Parameters) => unknown;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessRule;
  }
}

export interface AccessOptions {
  readonly ring: KeyRing;
  readonly countRate: CountRate;
  /** Slows down guesses at API keys. */
  readonly unknownKeys: NetworkLimit;
  /** Whether the service has its own pages, for which browsers send no `Origin`. */
  readonly servesPages: boolean;
  /** Whether the message of a 403 names the page's origin. Only the demo may, on its visitor's own machine. */
  readonly namesOrigins: boolean;
}

/**
 * Identifies the caller of a request to the API, and lets a trusted page read the response. It runs before any route,
 * so that a page can also read a 404 or 405.
 */
export function identifyCallers(app: FastifyInstance, ring: KeyRing): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!takesCredentials(request)) return done();
    const tell = () => {
      setReadableBy(reply, request.caller?.key, request.headers.origin);
      done();
    };
    // Hooks that do not wait use callbacks. A promise would cost every request a turn of the event loop.
    const pending = identify(request, ring);
    if (pending) pending.then(tell, done);
    else tell();
  });
}

/** Guards every route with `config.access` that is added to this scope afterwards. */
export function guardRoutes(app: FastifyInstance, options: AccessOptions): void {
  app.addHook('onRoute', (route) => {
    const rule = route.config?.access;
    if (rule) guard(route, rule, options);
  });
}

function guard(route: RouteOptions, rule: AccessRule, options: AccessOptions): void {
  const { ring, countRate, unknownKeys, servesPages, namesOrigins } = options;

  /**
   * Sets who may read the response, and admits or refuses the request. A request without a credential is not admitted
   * yet.
   *
   * @returns a promise if the request is counted now
   */
  function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller | undefined,
  ): MaybePromise<void> {
    if (!caller) return;
    if (!caller.key && isMadeToken(caller.credential)) throw accessTokenRefused();
    const sender = { origin: senderOrigin(request, servesPages), ip: clientIp(request) };
    let key: Key;
    try {
      key = admit(caller.key, sender, namesOrigins);
    } catch (error) {
      return refuse(error, caller, sender);
    }
    setReadableBy(reply, key, request.headers.origin);
    const { publicKeys, testKeys = true, refusal = 'publicKeyRefused' } = rule;
    if (key.kind === 'public' && !publicKeys) throw new Refusal('public_key', refusal);
    if (key.mode === 'test' && !testKeys) throw new Refusal('test_key', refusal);
    if (!key.account && rule.needsAccount) throw new Refusal('no_account', 'noAccount');
    request.admitted = key;
    if (request.isCounted || rule.isCountedLater?.(key)) return;
    return countRate(key, rule.endpoint).then((count) => tellRate(reply, count));
  }

  /** Counts unknown keys. A key that is accepted is never refused because of the others of its network. */
  async function refuse(error: unknown, { key, credential }: Caller, { ip }: Sender): Promise<never> {
    if (credential.isAccessToken || !(error instanceof Refusal)) throw error;
    // Also for keys that exist and are not accepted here, so that the response does not tell which keys exist.
    const seconds = await (key ? unknownKeys.refusedFor(ip) : unknownKeys.count(ip));
    if (seconds === 0) throw error;
    const headers = { 'Retry-After': String(seconds) };
    throw new Failure('tooManyUnknownKeys', undefined, headers, error.reason);
  }

  /** Only a credential that was accepted before the body is read allows a large one, and the time that it takes. */
  function letSendMore(request: FastifyRequest): void {
    const key = request.admitted;
    request.bodyOwner = key?.account?.id ?? key?.id;
    request.largeBody = key && rule.largeBody?.(key);
    if (largeBodyOf(request)) request.awaitUpload();
  }

  function take(request: FastifyRequest, parameters: Parameters): void {
    // RFC 9110, section 15.5.2.
    if (!request.admitted) {
      const message = misplacedCredential(request.headers);
      throw new Failure('credentialMissing', message, { 'WWW-Authenticate': 'Bearer' });
    }
    request.query = rule.merge(parameters);
  }

  /** Counts a faulty request that its handler did not count. Over the limit, it gets a 429. */
  async function countRefused(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const key = request.admitted;
    const status = error instanceof Failure ? error.status : (error.statusCode ?? 500);
    if (key && !request.isCounted && status < 500) tellRate(reply, await countRate(key, rule.endpoint));
    throw error;
  }

  /** A GET has no body to wait for. */
  function takeQuery(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    take(request, wellFormedQuery(request));
    done();
  }

  async function takeQueryAndBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const parameters = await collectParameters(request, rule.files);
    // A body may contain a credential. Without a body, the decision is already made.
    if (parameters !== queryParameters(request)) {
      setUnreadable(reply);
      request.caller = await findCaller(request, ring, parameters);
      await enter(request, reply, request.caller);
    }
    take(request, parameters);
  }

  // Checks the headers before the body is read.
  route.onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void): MaybePromise<void> => {
    const goOn = () => {
      if (request.callerFault) throw request.callerFault;
      const entered = enter(request, reply, request.caller);
      letSendMore(request);
      return entered;
    };
    // Only the API's own URLs were identified before. The demo has the same routes at other URLs.
    const identified = identify(request, ring);
    const entered = identified ? identified.then(goOn) : goOn();
    if (entered) return entered;
    done();
  };
  route.preValidation = route.method === 'POST' ? takeQueryAndBody : takeQuery;
  // Also called for an unreadable body. The app's handler gets the errors that it throws.
  route.errorHandler = countRefused;
}

/** Clients refresh their token when they read this header (RFC 6750, section 3.1). */
const accessTokenRefused = () =>
  new Failure(
    'accessTokenRefused',
    undefined,
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    'unknown_key',
  );

/** The key that admitted a request to a guarded route. */
export function keyOf(request: FastifyRequest): Key {
  if (!request.admitted) throw new Error('the route has no config.access');
  return request.admitted;
}
