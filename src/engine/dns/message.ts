/** Writes questions as bytes, and reads answers. Reading is quick and throws no exception, whatever the bytes are. */
import dnsPacket, { type DecodedPacket, type Question as DnsQuestion, type OptAnswer } from 'dns-packet';
import { type DnsAnswer, failed, followAliases, plainName, type Question } from './records.ts';

export type Reading =
  | DnsAnswer
  /** Not an answer to this question. The true one may still come. */
  | 'foreign'
  /** The answer does not fit into a datagram. It needs TCP. */
  | 'truncated'
  /** The server does not understand the question: old servers do not know EDNS (RFC 6891, section 7). */
  | 'not-understood';

/** The bytes of a datagram that all networks carry (DNS Flag Day 2020). */
const UDP_PAYLOAD = 1232;
const EDNS: OptAnswer = {
  type: 'OPT',
  ...{ name: '.', udpPayloadSize: UDP_PAYLOAD, extendedRcode: 0, ednsVersion: 0 },
  ...{ flags: 0, flag_do: false, options: [] },
};

/** Only attacks have so many records. The rest of such an answer is not read. */
const MOST_RECORDS = 1000;

const HEADER_BYTES = 12;
/** Response codes (RFC 1035, section 4.1.1). */
const [NOERROR, FORMERR, NXDOMAIN, NOTIMP] = [0, 1, 3, 4];
/** Offsets in the header (RFC 1035, section 4.1.1). */
const [QUESTIONS_AT, ANSWERS_AT, AUTHORITIES_AT, ADDITIONALS_AT] = [4, 6, 8, 10];

export function writeQuestion({ name, type }: Question, id: number, edns: boolean): Buffer {
  return dnsPacket.encode({
    type: 'query',
    id,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals: edns ? [EDNS] : [],
  });
}

/** @param id the id of the question */
export function readAnswer(bytes: Buffer, question: Question, id: number): Reading {
  const isReply = bytes.length >= HEADER_BYTES && (bytes[2]! & 0x80) !== 0;
  if (!isReply || bytes.readUInt16BE(0) !== id) return 'foreign';
  const rcode = bytes[3]! & 0x0f;
  const questions = bytes.readUInt16BE(QUESTIONS_AT);
  // A server that could not read the question may leave it out of its refusal.
  const isRefusal = rcode !== NOERROR && rcode !== NXDOMAIN;
  if (questions !== 1 && !(questions === 0 && isRefusal)) return 'foreign';
  const isTruncated = (bytes[2]! & 0x02) !== 0;
  let packet: DecodedPacket & { readonly rcode?: string };
  try {
    packet = dnsPacket.decode(
      withFewRecords(bytes, { answers: isTruncated ? 0 : MOST_RECORDS, authorities: 0 }),
    );
  } catch {
    return failed('unreadable');
  }
  const [asked] = packet.questions!;
  if (asked && !isSame(asked, question)) return 'foreign';
  if (rcode === NXDOMAIN) return { lookup: { kind: 'no-name' }, ttl: 0 };
  if (rcode === FORMERR || rcode === NOTIMP) return 'not-understood';
  if (rcode !== NOERROR) return failed(packet.rcode!);
  if (isTruncated) return 'truncated';
  if (isReferral(packet, bytes)) return failed('referral');
  return followAliases(packet.answers!, question);
}

function isSame(asked: DnsQuestion, { name, type }: Question): boolean {
  return asked.type === type && asked.class === 'IN' && plainName(asked.name) === name;
}

/**
 * Leaves other sections unread, because they are not needed and may be broken. The limit stops attacks: a name can be
 * written as thousands of pointers, which the parser follows again for each record.
 */
function withFewRecords(bytes: Buffer, most: { answers: number; authorities: number }): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16BE(Math.min(copy.readUInt16BE(ANSWERS_AT), most.answers), ANSWERS_AT);
  copy.writeUInt16BE(most.authorities, AUTHORITIES_AT);
  copy.writeUInt16BE(0, ADDITIONALS_AT);
  return copy;
}

/**
 * A referral names other servers. It does not mean that there are no records (RFC 2308, section 2.2.1). A forwarder passes
 * it on with the mark that recursion is available. A server that neither asks others nor is responsible may name no server.
 */
function isReferral(packet: DecodedPacket, bytes: Buffer): boolean {
  if (packet.flag_aa || packet.answers!.length > 0) return false;
  if (bytes.readUInt16BE(AUTHORITIES_AT) === 0) return !packet.flag_ra;
  try {
    const packetWithFirst = dnsPacket.decode(withFewRecords(bytes, { answers: 0, authorities: 1 }));
    return packetWithFirst.authorities![0]!.type === 'NS';
  } catch {
    return true;
  }
}
