/** Questions as bytes, and bytes as answers. Whatever the bytes are, reading them ends, quickly and without an exception. */
import dnsPacket, { type DecodedPacket, type Question as DnsQuestion } from 'dns-packet';
import { type Answer, failed, followAliases, plainName, type Question } from './records.ts';

export type Reading =
  | Answer
  /** Not an answer to this question. The true one may still come. */
  | 'foreign'
  /** The answer does not fit into a datagram and has to be asked for over TCP. */
  | 'truncated'
  /** The server does not understand the question, as old ones do not understand EDNS (RFC 6891, section 7). */
  | 'not-understood';

/** What a datagram may hold on all paths (DNS Flag Day 2020). */
export const UDP_PAYLOAD = 1232;

/** A domain with so many mail servers exists in attacks only. The rest of such an answer is not read. */
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
    additionals: edns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: UDP_PAYLOAD,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  });
}

/** @param id the one in the question */
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
 * Leaves the other sections unread, in which nothing is looked for but much can be wrong. The limit matters because a
 * name can be written as thousands of pointers, which are followed anew for each record.
 */
function withFewRecords(bytes: Buffer, most: { answers: number; authorities: number }): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16BE(Math.min(copy.readUInt16BE(ANSWERS_AT), most.answers), ANSWERS_AT);
  copy.writeUInt16BE(most.authorities, AUTHORITIES_AT);
  copy.writeUInt16BE(0, ADDITIONALS_AT);
  return copy;
}

/** A server that only names others has not said that there are no records (RFC 2308, section 2.2.1). */
function isReferral(packet: DecodedPacket, bytes: Buffer): boolean {
  const canTell = packet.flag_aa || packet.flag_ra || packet.answers!.length > 0;
  if (canTell || bytes.readUInt16BE(AUTHORITIES_AT) === 0) return false;
  try {
    const packetWithFirst = dnsPacket.decode(withFewRecords(bytes, { answers: 0, authorities: 1 }));
    return packetWithFirst.authorities![0]!.type === 'NS';
  } catch {
    return true;
  }
}
