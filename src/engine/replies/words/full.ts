/** Words for a mailbox that exists and is full. */
import type { Phrase } from '../phrases.ts';
import { FROM } from './sources.ts';

const BOX = 'mailbox|inbox|account|user|recipient|maildir|mailfolder|mailfile|maildrop|quota|storage';

export const FULL: readonly Phrase[] = [
  ['overquota|overquote|overdrawn', FROM.mailboxFull],
  ['over ... quota|quote|storage|limit', FROM.mailboxFull],
  ['quota ... exceed*|violat*|full|reached|limit|used|overflow', FROM.mailboxFull],
  ['exceed* ... quota|storage|space|mailbox', FROM.mailboxFull],
  ['exceeded the local limit', FROM.mailboxFull],
  [`${BOX} full`, FROM.mailboxFull],
  [`${BOX} ... is|are|was|too full`, FROM.mailboxFull],
  ['full mailbox|inbox|account', FROM.mailboxFull],
  [`${BOX} ... size|space|storage .. limit? exceed*|reached|exhausted|full`, FROM.mailboxFull],
  ['out of storage|disk|mailbox|space', FROM.google],
  ['not enough .. storage|space|quota|diskspace', FROM.mailboxFull],
  ['insufficient .. storage|space|quota', FROM.mailboxFull],
  ['reached disk|storage|mailbox|its quota|limit', FROM.mailboxFull],
  ['space has been? used up', FROM.mailboxFull],
  ['maximum allowed mailbox|number|storage', FROM.mailboxFull],
  [`${BOX} ... exceed* .. limit|size|count|maximum`, FROM.mailboxFull],
  ['exhausted ... storage|space|quota', FROM.sitepackage],
  ['storage|mailbox|account limit|limits', FROM.goDaddy],
  ['account storage limit', FROM.goDaddy],
  ['mailbox would exceed', FROM.mailboxFull],
  ['too much mail data', FROM.mailboxFull],
  ['speichervolumen|speicherplatz ... uberschritten|ueberschritten|erschopft|voll', FROM.sitepackage],
  ['postfach|mailbox ... voll|uberfullt|ueberfuellt', FROM.sitepackage],
  ['boite|messagerie ... pleine', FROM.orange],
  ['buzon|casilla|bandeja ... lleno|llena', FROM.infranet],
  ['caixa ... cheia|lotada', FROM.hardware],
  ['casella|mailbox ... piena', FROM.nodeBounce],
  ['ящик* ... переполнен*|заполнен*', FROM.epochta],
  ['skrzynka|skrzynki ... pelna|przepelnion*', FROM.interia],
  ['*空间不足*', FROM.qqMailbox],
  ['*空間不足*', FROM.qqMailbox],
  ['*容量*満*', FROM.megaEgg],
  ['*いっぱい*', FROM.megaEgg],
];
