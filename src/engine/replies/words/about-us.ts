/**
 * Words about us: our IP address, its reputation, its names, the sender, and our number of requests. They say nothing
 * about the mailbox, whatever code comes with them.
 */
import { type AboutUs, BLOCKS, US } from './blocks.ts';
import { FROM } from './sources.ts';

const OURS = `${US}|address|system|host's|provider|connection|location|country|region|dns|reputation|access`;

export const ABOUT_US: readonly AboutUs[] = [
  ...BLOCKS,
  {
    kind: 'reverse DNS',
    slowDown: false,
    phrases: [
      ['reverse dns|lookup|hostname|host|name|record|entry', FROM.requirePtr],
      ['rdns|ptr|fcrdns', FROM.requirePtr],
      ['forward confirmed', FROM.afterShip],
      ['find|resolve your|client hostname|host|address|ip', FROM.requirePtr],
      ['dns check|checks fail*', FROM.cox],
    ],
  },
  {
    kind: 'HELO',
    slowDown: false,
    phrases: [['helo|ehlo|helohost|heloname', FROM.afterShip]],
  },
  {
    kind: 'authentication',
    slowDown: false,
    phrases: [
      ['spf|dkim|dmarc|domainkeys', FROM.google],
      ['authenticat*|unauthenticated|authentification|auth', FROM.security],
      ['password|passwords', FROM.security],
      ['starttls|tls|ssl|encryption|encrypted', FROM.google],
    ],
  },
  {
    kind: 'relaying',
    slowDown: false,
    phrases: [
      ['relay|relaying .. denied|disallowed|forbidden|prohibited|disabled|rejected|refused', FROM.relaying],
      ['relay|relaying .. not .. permitted|allowed|possible|authorized', FROM.relaying],
      ['not|no|dont|longer relay|relays|relaying', FROM.relaying],
      ['not|unable|cannot|cant|refuse|refuses .. to relay', FROM.relaying],
      ['open|insecure mail? relay', FROM.relaying],
      ['deny|denies|denied|allow relay|relaying', FROM.sina],
      ['relay check|checking|fail*', FROM.sina],
      ['as a? relay', FROM.fieldManual],
      ['not a gateway', FROM.bounceHandler],
      ['rcpthosts|rcpthost', FROM.relaying],
      ['mx do|does|dont|doesnt not? point', FROM.smtpCodes],
      ['retransmissao|reenvio|ретрансляц*', FROM.hardware],
    ],
  },
  {
    kind: 'sender',
    slowDown: false,
    phrases: [
      [
        'sender|senders ... verif*|rejected|denied|refused|invalid|unknown|unverified|unauthorized',
        FROM.rejected,
      ],
      ['sender|senders ... not|no|cannot|must|doesnt|without|exist|found|fail*|allowed|empty', FROM.rejected],
      ['sender address|domain|ip|id|policy|base|host|server|email|callout|callback', FROM.rejected],
      [
        'invalid|bad|unknown|blank|null|empty|envelope|your|fake|valid|the|from|unroutable sender|senders',
        FROM.rejected,
      ],
      ['verify|verifying|verification|validate|confirm ... sender', FROM.exim],
      ['verify|validate your ... address|domain|server', FROM.exim],
      ['return path', FROM.exim],
      ['address|domain|identity is? not verified', FROM.exim],
      ['mail|mailfrom|envelope from', FROM.rejected],
      ['mailfrom|badmailfrom|badsendermx|sendernoa|senderfilterconfig', FROM.rejected],
      ['from address|addresses|domain', FROM.goDaddy],
      // Also after an article: "l'expéditeur".
      ['*emetteur|*expediteur', FROM.orange],
      ['reverse path', FROM.exim],
      // The last line of GMX, web.de, mail.com and IONOS counts. The first one is always "mailbox unavailable".
      ['invalid|bad dns mx|a|aaaa', FROM.gmx],
      ['absender*', FROM.nodeBounce],
      ['remitente|remetente|mittente', FROM.nodeBounce],
      ['отправител*|nadawc*', FROM.nodeBounce],
    ],
  },
  {
    kind: 'client',
    slowDown: false,
    phrases: [
      [`your ${OURS}`, FROM.blocked],
      ['your email|mail address|account|server|domain', FROM.blocked],
      ['ihre|ihrer|ihr adresse|rechner|server|domain|mailserver', FROM.nodeBounce],
      ['votre adresse|serveur|domaine|ip', FROM.orange],
      ['su|tu|sua direccion|servidor|dominio|ip', FROM.nodeBounce],
      ['client host|ip|address|name', FROM.blocked],
      [`sending|connecting|remote|source|originating|peer ${OURS}`, FROM.blocked],
      ['ip address|addresses|adresse|adressen|name|not|range|frequency|check', FROM.google],
      ['this|the|from|bad|invalid ip', FROM.goDaddy],
      ['remotehost', FROM.blocked],
      ['server|mailserver ... not .. authorized|allowed|permitted', FROM.blocked],
      ['access from', FROM.blocked],
      ['not .. accepting|accepted|accept .. from', FROM.blocked],
      ['not accept delivery', FROM.aol],
      ['go away', FROM.blocked],
      ['get lost', FROM.relaying],
      // T-Online sends only this to an IP address that it does not know.
      ['ask your postmaster', FROM.zoneMta],
    ],
  },
  {
    kind: 'policy',
    slowDown: false,
    phrases: [
      ['policy|policies|security', FROM.policy],
      ['administrative* .. prohibit*|denied|block*|reject*', FROM.mimecast],
      ['prohibited|prohibition|forbidden|unauthorized|restricted|restrictions', FROM.mimecast],
      ['denied|denined|deny', FROM.policy],
      [
        'not|isnt|arent .. allowed|permitted|authorized|authorised|welcome|whitelisted|subscribed',
        FROM.rejected,
      ],
      ['permission|permissions', FROM.nodeBounce],
      ['filter|filtered|filtering|filters', FROM.filtered],
      ['refuses|refused|refuse|refus', FROM.filtered],
      ['doesnt|dont|not want', FROM.interia],
      ['only .. accept*|from|specific', FROM.filtered],
      ['protected by', FROM.filtered],
      ['preferences|mailpolicy', FROM.policy],
      ['user|users|recipient|recipients rules', FROM.filtered],
      ['rejected by this|the user|recipient', FROM.filtered],
      ['members only', FROM.rejected],
      ['post|posting to .. list|group', FROM.rejected],
      ['closed mailing? list', FROM.policy],
      ['mailing? list|mailinglist is closed', FROM.policy],
      ['geographical|country', FROM.zoneMta],
      ['captcha|challenge|confirmation', FROM.policy],
      ['content|banned|behaviour|behavior', FROM.spam],
      // NetEase names the reason for a refusal of spam.
      ['dt|mi spm|spb', FROM.netEase],
      // Italian certified mailboxes take only certified mail. The recipient may also be unknown.
      ['posta non certificata', FROM.aruba],
      ['protocol violation|error', FROM.policy],
      ['spoof|spoofed|spoofing', FROM.mimecast],
    ],
  },
];
