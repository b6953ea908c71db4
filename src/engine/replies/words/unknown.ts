/** Words for a mailbox that does not exist, or is disabled. */

import { RECIPIENT } from '../clean.ts';
import type { Phrase } from '../phrases.ts';
import { FROM } from './sources.ts';

const WHO =
  'user|users|userid|username|account|accounts|mailbox|mailboxes|recipient|recipients|addressee|address|addresses|alias|person|customer|subscriber|inbox|login|emailaddress|spectator|rcpt|part|maildrop|employee|mailaddress|emailaccount|receiver';
const GONE =
  'unknown|disabled|deactivated|inactive|suspended|locked|frozen|closed|expired|terminated|archived|deleted|cancelled|canceled|discontinued|unavailable|undeliverable|invalid|nonexist*|unallocated|unrecognized|unregistered|missing|wrong|incorrect|dormant|isblocked|hangup|forbided|unrouteable|unroutable';

/** The mailbox or its owner in other languages. The Spanish list has the Portuguese words too. */
const GERMAN = 'benutzer|empfanger*|empfaenger*|adressat|adresse|postfach|konto';
const FRENCH = 'utilisateur|destinataire|boite|compte|adresse';
const SPANISH = 'usuario|utilizador|destinatario|buzon|casilla|cuenta|conta|caixa|endereco|direccion';
const RUSSIAN = 'пользовател*|ящик*|адрес*|получател*';

/** Singular only: `no recipients` and `no users` mean something else. */
const ONE =
  'user|userid|username|account|mailbox|recipient|addressee|address|alias|person|customer|subscriber|inbox|email|maildrop|employee|receiver|id';

/** Blocked because of its owner. All other blocks are about us. */
export const MAILBOX_BLOCKED: readonly Phrase[] = [
  ['account|mailbox|inbox|compte|konto is|was|has|been .. blocked|bloque|gesperrt', FROM.orange],
  ['blocked due to inactivity', FROM.nodeBounce],
];

export const UNKNOWN: readonly Phrase[] = [
  ...MAILBOX_BLOCKED,
  [`${WHO} ... ${GONE}`, FROM.userUnknown],
  [
    `${WHO} ... not|no ... found|known|exist|exists|existing|recognized|recognised|listed|local|present|valid|active|available|deliverable|registered|defined|hosted|enabled|activated|ok`,
    FROM.userUnknown,
  ],
  [
    `${WHO} ... doesnt|dont|didnt|isnt|wasnt .. exist|exists|found|known|valid|active|recognized`,
    FROM.userUnknown,
  ],
  [`${WHO} ... no longer`, FROM.suspend],
  ['email .. not|doesnt .. exist|exists|found|known', FROM.nodeBounce],
  ['tried to reach is|does not? exist|disabled|inactive', FROM.google],
  ['does no exist|exists', FROM.dbMail],
  [`${GONE}|bad|illegal .. ${WHO}`, FROM.userUnknown],
  [`no such|valid|known|active|matching|local|existing .. ${ONE}`, FROM.userUnknown],
  // Without `valid`, this means a message without recipients.
  ['no valid recipients', FROM.userUnknown],
  [`no|such|non ${ONE}`, FROM.userUnknown],
  ['no such here|name|one|body|person|local|drop', FROM.userUnknown],
  ['no one|nobody at|with|by|here|named', FROM.userUnknown],
  [`not a|an|our|any|user|valid|known|active|local|existing .. ${WHO}`, FROM.userUnknown],
  [`not|doesnt|dont|no have .. ${WHO}`, FROM.userUnknown],
  [`has no .. ${WHO}`, FROM.userUnknown],
  ['not .. listed|found in|on ... directory|book|table|server|database|system', FROM.sitepackage],
  ['not in ... directory|table|validrcptto', FROM.userUnknown],
  ['not in .. recipient|user list', FROM.fieldManual],
  ['not .. member of domain', FROM.bounceHandler],
  ['unrouteable|unroutable', FROM.sitepackage],
  ['badrcptto|badrecipientto|validrcptto', FROM.userUnknown],
  ['recipnotfound|recipientnotfound|usernotfound|userunknown|nosuchuser', FROM.userUnknown],
  ['cant|cannot accept|find user|alias|recipient', FROM.userUnknown],
  ['no longer an? .. employee|valid|on|accept*', FROM.nodeBounce],
];

/** Phrases about the echoed recipient, which `RECIPIENT` replaces. */
export const UNKNOWN_RECIPIENT: readonly Phrase[] = [
  [`${RECIPIENT} is|was|has .. ${GONE}`, FROM.bounceHandler],
  [`${RECIPIENT} is|was? not found|known|valid|used|exist|recognized|recognised|active`, FROM.userUnknown],
  [`${RECIPIENT} does|doesnt not? exist`, FROM.userUnknown],
  [`${RECIPIENT} ${GONE}`, FROM.userUnknown],
];

/** Phrases in other languages than English. */
export const UNKNOWN_ELSEWHERE: readonly Phrase[] = [
  [`${GERMAN}|teilnehmer ... unbekannt|deaktiviert|ungultig|ungueltig`, FROM.nodeBounce],
  [`${GERMAN} ... nicht .. bekannt|gefunden|vorhanden|mehr`, FROM.sitepackage],
  ['benutzer|empfanger*|empfaenger*|adresse|postfach|konto ... existiert nicht', FROM.sitepackage],
  [
    'unbekannter|unbekannte|kein|keine .. benutzer|person|empfanger*|empfaenger*|adresse|postfach',
    FROM.sitepackage,
  ],
  [`${FRENCH} ... inconnu|inconnue|invalide|desactive*|archivee|nonexist*`, FROM.orange],
  [`${FRENCH} ... nexiste .. pas`, FROM.orange],
  [`${SPANISH} ... nonexist*|inactivo|desconocid*|desconhecid*|invalid*|expirado`, FROM.nodeBounce],
  [`${SPANISH} ... no|nao .. existe|encontrad*`, FROM.hardware],
  ['no existe .. usuario|persona|buzon|cuenta|destinatario|direccion', FROM.userUnknown],
  ['nao existe .. usuario|utilizador|caixa|conta|endereco', FROM.hardware],
  [
    'destinatario|destin|utente|casella|indirizzo ... sconosciut*|errato|nonexist*|bloccato|disatt*',
    FROM.nodeBounce,
  ],
  ['nessun utente', FROM.userUnknown],
  ['uzytkownik|konto|skrzynka|adres|odbiorca ... nie istnieje|zostal|zostalo', FROM.webpc],
  ['nie istnieje', FROM.nodeBounce],
  ['nie ma takiego|takiej', FROM.nodeBounce],
  ['konto|skrzynka ... zablokowan*|nieaktywn*', FROM.nodeBounce],
  ['nieznany uzytkownik|odbiorca|adres', FROM.webpc],
  [`${RUSSIAN}|абонент* ... не .. существует|найден*|зарегистрирован*|обслуживается`, FROM.epochta],
  [`${RUSSIAN} ... недоступен|неизвест*|отсутствует|заблокирован*|удален*|отключен*`, FROM.epochta],
  [`нет такого|такои ${RUSSIAN}`, FROM.epochta],
  [`неизвестный|несуществующий ${RUSSIAN}`, FROM.epochta],
  ['*用户*不存在*', FROM.qqMailbox],
  ['*收件人*不存在*', FROM.qqMailbox],
  ['*邮箱*不存在*', FROM.sina],
  ['*该用户未开通*', FROM.qqMailbox],
  ['*メールアドレス*存在し*', FROM.megaEgg],
  ['*存在しません*', FROM.megaEgg],
];

/** The server cannot take an address with characters beyond ASCII (RFC 6531, section 3.5). */
export const UNSUPPORTED: readonly Phrase[] = [
  ['smtputf8|utf8smtp|eai', FROM.rfc6531],
  ['utf8 ... not|unsupported', FROM.rfc6531],
  ['utf 8 ... not|unsupported', FROM.rfc6531],
  ['non ascii', FROM.rfc6531],
  ['internationalized|internationalised', FROM.rfc6531],
  ['8bit ... address|addresses', FROM.rfc6531],
];
