/** Bodies of a given size that are made to take long: one character or one construct, again and again. */

export interface HostileBody {
  /** Its type, what is around the text, and the text. */
  readonly name: string;
  readonly type: string;
  make(): Buffer;
}

const TYPES = {
  form: 'application/x-www-form-urlencoded',
  JSON: 'application/json',
  multipart: 'multipart/form-data; boundary=edge',
} as const;

const EDGE = '--edge\r\n';
const field = (name: string, type = '') =>
  `${EDGE}Content-Disposition: form-data; name="${name}"\r\n${type && `Content-Type: ${type}\r\n`}\r\n`;
const END = '\r\n--edge--\r\n';

/** What is around the repeated text. */
const PLACES: Readonly<
  Record<keyof typeof TYPES, Readonly<Record<string, readonly [begin: string, end: string]>>>
> = {
  form: { whole: ['', ''], value: ['emails=', ''] },
  JSON: {
    whole: ['', ''],
    value: ['{"emails":"', '"}'],
    list: ['{"emails":[', '0]}'],
    'inner list': ['{"emails":[[', '0]]}'],
    entry: ['{"emails":["', '"]}'],
  },
  multipart: {
    whole: ['', ''],
    value: [field('emails'), END],
    'list of JSON': [`${field('emails', TYPES.JSON)}[`, `0]${END}`],
  },
};

/** The characters that mean something to a parser, one that means nothing, and those that are long in UTF-8. */
const TELLING = [...',;:&=+%"\'\\/[]{}<>()@.-_0a \t\r\n\0', 'é', 'Σ', '漢', '\u{1f600}'];
const CHARACTERS = new Set([
  ...TELLING,
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
]);

/** An address whose domain needs the tables of Unicode. Its ASCII form takes as long as a hundred usual addresses. */
const CHINESE = `"a@${'漢字'.repeat(50)}",`;

/** What else can come again and again. */
const CONSTRUCTS: Readonly<Record<keyof typeof TYPES, readonly string[]>> = {
  form: [
    ...['a&', 'a=b&', 'emails=a&', 'emails[]=a&', 'emails=,&', 'a@b.example,', ' ,'],
    ...['%2C', '%41', '%C3%A9', '%F0%9F%98%80', 'a%0D%0A'],
  ],
  JSON: [
    ...['"",', '"a",', '" ",', '"\\u002c",', '"\\\\",', '0,', 'null,', '[],', '{},', '[0],'],
    CHINESE,
    ...['{"a":[', '[{"a":', '{"":{"a":', '\\u002c', '\\n', '\\"'],
  ],
  multipart: [
    ...[EDGE, '--edge', '\r\n--', '\r\n--edg', field('a'), field('emails')],
    ...['"",', '"a",', '"\\u002c",', '[],', '[{"a":', 'a@b.example,', '\r\n\r\n'],
  ],
};

/** Other fields, which are no lists of addresses. One parser reads them all, so only entries come again and again. */
const OTHER_LISTS = ['response_fields', 'url'];
const ENTRIES = ['"state",', ...CONSTRUCTS.JSON.filter((text) => text.endsWith(','))];

/** @param size of each body in bytes, at most */
export function* hostileBodies(size: number): Generator<HostileBody> {
  for (const kind of ['form', 'JSON', 'multipart'] as const) {
    const type = TYPES[kind];
    for (const [place, [begin, end]] of Object.entries(PLACES[kind])) {
      for (const text of new Set([...CHARACTERS, ...CONSTRUCTS[kind]])) {
        const room = size - begin.length - end.length;
        const make = () => Buffer.from(begin + text.repeat(Math.floor(room / Buffer.byteLength(text))) + end);
        yield { name: `${kind}, ${place}: ${JSON.stringify(text)}`, type, make };
      }
    }
  }
  for (const name of OTHER_LISTS) {
    const begin = `{"emails":"a@b.example","${name}":[`;
    for (const text of ENTRIES) {
      const count = Math.floor((size - begin.length - '0]}'.length) / Buffer.byteLength(text));
      const make = () => Buffer.from(`${begin}${text.repeat(count)}0]}`);
      yield { name: `JSON, list in ${name}: ${JSON.stringify(text)}`, type: TYPES.JSON, make };
    }
  }
  yield {
    name: 'JSON, colons after a long name with escapes',
    type: TYPES.JSON,
    make: () => {
      const name = '\\n'.repeat(size / 4);
      return Buffer.from(`{"${name}"${':'.repeat(Math.min(8_000, size / 4))}`);
    },
  };
  yield { name: 'JSON, names', type: TYPES.JSON, make: () => Buffer.from(namesOf(size)) };
}

/** Those that once took seconds, or are likely to: one or two for each way in which a body is read. */
const WORST = [
  ...['form, value: ","', 'form, whole: "a&"', 'JSON, value: ","', 'JSON, entry: "Σ"', 'JSON, names'],
  'JSON, colons after a long name with escapes',
  ...['JSON, list: "\\"\\","', 'JSON, inner list: "\\"\\\\u002c\\","', 'JSON, whole: "{\\"a\\":["'],
  `JSON, list: ${JSON.stringify(CHINESE)}`,
  ...['multipart, whole: "--edge\\r\\n"', 'multipart, value: ","', 'multipart, list of JSON: "[{\\"a\\":"'],
];

export function worstBodies(size: number): HostileBody[] {
  const found = [...hostileBodies(size)].filter(({ name }) => WORST.includes(name));
  if (found.length !== WORST.length) {
    const missing = WORST.filter((name) => found.every((body) => body.name !== name));
    throw new Error(`Expected all bodies of WORST, got none for ${missing.join(' and ')}.`);
  }
  return found;
}

/** An object with as many different names as fit. */
function namesOf(size: number): string {
  const names: string[] = [];
  for (let [count, room] = [0, size - 2]; ; count += 1) {
    const name = `"${count.toString(36)}":0`;
    room -= name.length + 1;
    if (room < 0) return `{${names.join(',')}}`;
    names.push(name);
  }
}
