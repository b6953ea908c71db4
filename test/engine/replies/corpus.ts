/** The replies of `../replies.json` and `wordings.json`. `corpus.test.ts` says what they are. */
import { readFileSync } from 'node:fs';
import type { Meaning, Reply, ReplyStage } from '../../../src/engine/replies/reply.ts';
import { toReply } from './samples.ts';

/** What all replies of a group have in common. */
interface Common {
  readonly stage: ReplyStage | 'data' | 'bounce';
  readonly provider?: string | undefined;
  readonly recipient?: string | undefined;
  readonly mailHost?: string | undefined;
  /** Given where the server asks for fewer conversations, too. */
  readonly slowDown?: boolean | undefined;
}

/** The texts of replies by their meaning, as servers write them. */
type Group = Common & { readonly [meaning in Meaning]?: readonly string[] };

export interface Sample extends Common, Reply {
  readonly meaning: Meaning;
}

export interface SourcedSample extends Sample {
  readonly provider: string;
  readonly source: string;
}

const load = (file: string) => JSON.parse(readFileSync(`test/engine/${file}`, 'utf8'));

function samplesOf({ stage, provider, recipient, mailHost, slowDown, ...texts }: Group): Sample[] {
  return Object.entries(texts).flatMap(([meaning, replies]) =>
    replies.map((reply) => ({
      ...{ stage, provider, recipient, mailHost, slowDown, meaning: meaning as Meaning },
      ...toReply(reply),
    })),
  );
}

export const loadReplies = (): readonly SourcedSample[] =>
  Object.entries<Group[]>(load('replies.json')).flatMap(([source, groups]) =>
    groups.flatMap(samplesOf).map((sample) => ({ ...sample, source }) as SourcedSample),
  );

export const loadWordings = (): readonly Sample[] => load('replies/wordings.json').flatMap(samplesOf);
