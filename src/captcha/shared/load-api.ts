/** Brings a provider's script into the page, unless the page has it already. */

/** Where a provider's script comes from. */
export interface ScriptOptions {
  /** Address of the provider's script, if it is to come from elsewhere than by default. */
  src?: string | undefined;
  /** CSP nonce of the script's tag. @default the one that the page's scripts have, if any */
  nonce?: string | undefined;
  /**
   * Hash of the script (`sha384-…`): the browser runs no other file. An empty text turns the check off.
   *
   * @default the hash of the file, where the default `src` names a fixed version; none with a `src` of your own
   */
  integrity?: string | undefined;
}

export interface ScriptSource<Api> {
  readonly src: string;
  /** Hash of the file at `src`, where that is one version for ever. */
  readonly integrity?: string;
  /** What the address of the page's own copy would have in it. */
  readonly known: string;
  readonly isModule?: boolean;
  /** What the script defines, once it has. */
  api(): Api | undefined;
}

/** After this time, in ms, a script is given up; the next request tries anew. */
const LOAD_MS = 30_000;
const LOOK_MS = 50;

/** @returns what the script defines; rejects when it does not arrive */
export function loadApi<Api>(source: ScriptSource<Api>, options: ScriptOptions): Promise<Api> {
  const { src = source.src, nonce = pagesNonce() } = options;
  const { integrity = options.src ? undefined : source.integrity } = options;
  const { api, known, isModule } = source;
  return new Promise((resolve, reject) => {
    let own: HTMLScriptElement | undefined;
    let lookedMs = 0;
    const fail = () => {
      own?.remove();
      reject(new Error(`no script from ${src}`));
    };
    const look = () => {
      const found = api();
      if (found) return resolve(found);
      if (lookedMs > LOAD_MS) return fail();
      lookedMs += LOOK_MS;
      setTimeout(look, LOOK_MS);
    };
    const { href } = new URL(src, document.baseURI);
    const isOnItsWay = [...document.scripts].some(
      (script) => script.src === href || script.src.includes(known),
    );
    if (!api() && !isOnItsWay) {
      own = document.createElement('script');
      own.async = true;
      if (isModule) own.type = 'module';
      if (nonce) own.nonce = nonce;
      if (integrity) {
        own.integrity = integrity;
        // Without it, the browser cannot check a file of another origin.
        own.crossOrigin = '';
      }
      own.addEventListener('error', () => {
        lookedMs = Number.POSITIVE_INFINITY;
        fail();
      });
      own.src = src;
      document.head.append(own);
    }
    look();
  });
}

/** Pages with a policy have it on their own tags; an attribute's selector finds it, though its value is hidden. */
const pagesNonce = () => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
