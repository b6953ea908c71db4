/** What a name server can do wrong, as names, and the bytes that it sends then. */
import dnsPacket from 'dns-packet';

/**
 * - `silent`: no answer.
 * - `SERVFAIL`, `REFUSED`, `FORMERR`, `NXDOMAIN`: that code, and no records.
 * - `NODATA`: the name exists, the records do not.
 * - `referral`: no recursion. The name servers of the zone, and no records.
 * - `no-edns`: `FORMERR` for questions with EDNS.
 * - `truncated`: as a datagram an empty answer with the mark, over TCP the right one.
 * - `no-tcp`, `silent-tcp`, `slow-tcp` (a byte every 5 ms), `short-tcp` (ends in the middle), `truncated-tcp`,
 *   `garbage-tcp`: truncated, and then that over TCP.
 * - `wrong-id`, `wrong-question`: nothing but that. With `-first`, the right answer follows.
 * - `garbage`: random bytes after the right id and question. `garbage-first`: random bytes, then the right answer.
 * - `short`: ends in the middle of a record. `header-only`: twelve bytes.
 * - `lying-counts`: 65,535 records, it says.
 * - `pointer-loop`: a name that points at itself.
 * - `flood`: a thousand answers with wrong ids.
 */
export type NamedTrouble =
  | 'silent'
  | 'SERVFAIL'
  | 'REFUSED'
  | 'FORMERR'
  | 'NXDOMAIN'
  | 'NODATA'
  | 'referral'
  | 'no-edns'
  | 'truncated'
  | 'no-tcp'
  | 'silent-tcp'
  | 'slow-tcp'
  | 'short-tcp'
  | 'truncated-tcp'
  | 'garbage-tcp'
  | 'wrong-id'
  | 'wrong-id-first'
  | 'wrong-question'
  | 'wrong-question-first'
  | 'garbage'
  | 'garbage-first'
  | 'short'
  | 'header-only'
  | 'lying-counts'
  | 'pointer-loop'
  | 'flood';

export type Trouble =
  | NamedTrouble
  /** The answer comes later. */
  | { readonly delayMs: number }
  /** Sends exactly these datagrams, and over TCP these messages. */
  | ((query: Buffer, answer: Buffer) => readonly Buffer[]);

const RCODES: Readonly<Record<string, number>> = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };

/** What is sent: datagrams, or messages over TCP. */
export function messagesFor(
  trouble: Trouble | undefined,
  query: Buffer,
  answer: Buffer,
  via: 'udp' | 'tcp',
): readonly Buffer[] {
  if (typeof trouble === 'function') return trouble(query, answer);
  if (trouble === undefined || typeof trouble === 'object') return [answer];
  const code = RCODES[trouble];
  if (code !== undefined) return [withoutRecords(query, { rcode: code })];
  if (/tcp$|^truncated$/.test(trouble))
    return via === 'udp' ? [truncated(query)] : [overTcp(trouble, query, answer)];
  switch (trouble) {
    case 'silent':
      return [];
    case 'NODATA':
      return [withoutRecords(query, {})];
    case 'referral':
      return [referral(query)];
    case 'no-edns':
      return [query.readUInt16BE(10) > 0 ? withoutRecords(query, { rcode: 1 }) : answer];
    case 'wrong-id':
      return [withWrongId(answer)];
    case 'wrong-id-first':
      return [withWrongId(answer), answer];
    case 'wrong-question':
      return [withWrongQuestion(answer)];
    case 'wrong-question-first':
      return [withWrongQuestion(answer), answer];
    case 'garbage':
      return [garbage(query)];
    case 'garbage-first':
      return [Buffer.from('not a message at all'), Buffer.alloc(0), answer];
    case 'short':
      return [answer.subarray(0, answer.length - 3)];
    case 'header-only':
      return [answer.subarray(0, 12)];
    case 'lying-counts':
      return [changed(answer, (bytes) => bytes.writeUInt16BE(0xffff, 6))];
    case 'pointer-loop':
      return [pointerLoop(query)];
    default:
      return Array.from({ length: 1000 }, () => withWrongId(answer));
  }
}

function changed(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

/** Header and question of the query, as a reply. Recursion is available, unless `isReferral`. */
export function withoutRecords(
  query: Buffer,
  { rcode = 0, isTruncated = false, isReferral = false },
): Buffer {
  return changed(query.subarray(0, endOfQuestion(query)), (bytes) => {
    bytes[2] = 0x81 | (isTruncated ? 0x02 : 0);
    bytes[3] = (isReferral ? 0 : 0x80) | rcode;
    bytes.fill(0, 6, 12);
  });
}

export function truncated(query: Buffer): Buffer {
  return withoutRecords(query, { isTruncated: true });
}

function overTcp(trouble: NamedTrouble, query: Buffer, answer: Buffer): Buffer {
  if (trouble === 'truncated-tcp') return truncated(query);
  return trouble === 'garbage-tcp' ? garbage(query) : answer;
}

function endOfQuestion(query: Buffer): number {
  let at = 12;
  while (query[at]! > 0) at += query[at]! + 1;
  return at + 5;
}

function withWrongId(answer: Buffer): Buffer {
  return changed(answer, (bytes) => bytes.writeUInt16BE((bytes.readUInt16BE(0) + 1) % 0x10000, 0));
}

function withWrongQuestion(answer: Buffer): Buffer {
  // One letter of the name that was asked about.
  return changed(answer, (bytes) => {
    bytes[13] = bytes[13] === 0x7a ? 0x79 : 0x7a;
  });
}

function garbage(query: Buffer): Buffer {
  const head = changed(withoutRecords(query, {}), (bytes) => bytes.writeUInt16BE(3, 6));
  return Buffer.concat([head, Buffer.from(Array.from({ length: 200 }, (_, index) => (index * 37) % 256))]);
}

function pointerLoop(query: Buffer): Buffer {
  const head = changed(withoutRecords(query, {}), (bytes) => bytes.writeUInt16BE(1, 6));
  const pointer = Buffer.alloc(2);
  pointer.writeUInt16BE(0xc000 | head.length);
  return Buffer.concat([head, pointer, Buffer.alloc(20)]);
}

function referral(query: Buffer): Buffer {
  const { id, questions } = dnsPacket.decode(query);
  return changed(
    dnsPacket.encode({
      type: 'response',
      id: id!,
      questions: questions!,
      authorities: [{ type: 'NS', name: 'test', data: 'ns.test' }],
    }),
    (bytes) => {
      bytes[2]! &= ~0x04;
    },
  );
}
