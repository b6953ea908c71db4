/**
 * The names of mail hosts, by provider. The comments name the sources: the providers' own set-up guides, and `mxsniff`,
 * the public list github.com/jace/mxsniff, file `mxsniff/providers.py`.
 */
import type { MailOrganisation } from './providers.ts';

export interface ProviderEntry extends Omit<MailOrganisation, 'id' | 'provider'> {
  /** In lower case. The facts about domains (`facts/smtp-provider.ts`) use the same names. */
  readonly provider: string;
  /** A host belongs to the provider if its name is one of these, or a subdomain of one. `*` is any single label. */
  readonly hosts: readonly string[];
}

export const PROVIDERS: readonly ProviderEntry[] = [
  // support.google.com/a/answer/174125. psmtp.com was Postini.
  { provider: 'google', hosts: ['google.com', 'googlemail.com', 'psmtp.com'] },
  {
    // learn.microsoft.com, "External Domain Name System records for Microsoft 365" and "How SMTP DANE works"
    // (mx.microsoft). A second recipient of an envelope gets 452 4.5.3 if it is in another region
    // (reacherhq/check-if-email-exists issue 569). Many recipients count as "namespace mining" (error 550 SC-002).
    provider: 'microsoft',
    hosts: ['outlook.com', 'mx.microsoft', 'hotmail.com', 'office365.us', 'partner.outlook.cn'],
    // Some refused IP addresses get no reply to RCPT, but the end of the connection: "lost connection with … while sending
    // RCPT TO" (mail-archive.com/postfix-users@postfix.org/msg87906.html, postalserver/postal issue 2192).
    probesApart: true,
    refusesByClosing: true,
    limits: { recipientsPerConnection: 5 },
  },
  // senders.yahooinc.com. Accepts every recipient, and refuses after DATA (truemail-rb/truemail-go issue 91).
  { provider: 'yahoo', hosts: ['yahoodns.net', 'mail.yahoo.com', 'mx.aol.com'], acceptsAll: true },
  // Not the same company as Yahoo: support.yahoo-net.jp. Accepts every recipient, and refuses after DATA (a Postfix log in
  // sipubot/RS-postfix_log_parser, src/main.rs; tuono034s.com/web-entry/3575).
  { provider: 'yahoo-japan', hosts: ['yahoo.co.jp'], acceptsAll: true },
  // support.apple.com/HT212514
  { provider: 'apple', hosts: ['mail.icloud.com', 'mail.me.com'] },
  // proton.me/support/custom-domain
  { provider: 'protonmail', hosts: ['protonmail.ch', 'protonmail.com'] },
  {
    // zoho.com/mail/help/adminconsole, "Configure email delivery": a domain for each data centre
    provider: 'zoho',
    hosts: [
      ...['zoho.com', 'zoho.eu', 'zoho.in', 'zoho.com.au', 'zoho.com.cn', 'zoho.jp', 'zohocloud.ca'],
      ...['zohomail.com', 'zohomail.eu', 'zohomail.in'],
    ],
  },
  // fastmail.help, "Manual DNS configuration"
  { provider: 'fastmail', hosts: ['messagingengine.com'] },
  // yandex.com/support/business, "MX record"
  { provider: 'yandex', hosts: ['yandex.ru', 'yandex.net', 'yandex.com'] },
  // help.mail.ru/biz, "MX record". Accepts every recipient (reacherhq/check-if-email-exists issue 1208), and refuses after
  // DATA (sympa-community/historic-sympa, t/samples/error-500-550.07.eml).
  { provider: 'mailru', hosts: ['mail.ru'], acceptsAll: true },
  // 1&1 Mail & Media runs all three. postmaster.gmx.net; mxsniff
  { provider: 'gmx', hosts: ['gmx.net', 'gmx.com', 'web.de', 'mail.com'] },

  // Mailboxes for domains, by the providers' guides for custom domains
  { provider: 'tutanota', hosts: ['tutanota.de', 'tutanota.com'] },
  { provider: 'mailbox.org', hosts: ['mailbox.org'] },
  { provider: 'posteo', hosts: ['posteo.de'] },
  { provider: 'migadu', hosts: ['migadu.com'] },
  { provider: 'mxroute', hosts: ['mxroute.com', 'mxrouting.net', 'mxlogin.com'] },
  // Accepts every recipient, and sends a bounce (Purelymail/purelymail-issues issue 385)
  { provider: 'purelymail', hosts: ['purelymail.com'], acceptsAll: true },
  { provider: 'runbox', hosts: ['runbox.com'] },
  { provider: 'mailfence', hosts: ['mailfence.com'] },
  { provider: 'hushmail', hosts: ['hushmail.com'] },
  { provider: 'hey', hosts: ['hey.com'] },
  { provider: 'pobox', hosts: ['pobox.com'] },
  { provider: 'titan', hosts: ['titan.email'] },
  { provider: 'rackspace', hosts: ['emailsrvr.com'] },
  { provider: 'intermedia', hosts: ['serverdata.net', 'intermedia.net'] },

  // Hosters and registrars: their DNS guides; mxsniff
  {
    provider: 'ionos',
    hosts: [
      ...['kundenserver.de', 'perfora.net', 'schlund.de', '1and1.com', '1and1.co.uk', '1and1.fr', '1and1.es'],
      ...['ionos.com', 'ionos.de', 'ionos.co.uk', 'ionos.fr', 'ionos.es', 'ionos.it'],
    ],
  },
  { provider: 'ovh', hosts: ['mail.ovh.net', 'mail.ovh.ca', 'ovh.net'] },
  { provider: 'gandi', hosts: ['mail.gandi.net'] },
  { provider: 'hostinger', hosts: ['hostinger.com', 'hostinger.in'] },
  { provider: 'godaddy', hosts: ['secureserver.net'] },
  {
    provider: 'namecheap',
    hosts: ['privateemail.com', 'jellyfish.systems', 'registrar-servers.com', 'web-hosting.com'],
  },
  { provider: 'strato', hosts: ['rzone.de'] },
  { provider: 'infomaniak', hosts: ['infomaniak.ch', 'infomaniak.com'] },
  { provider: 'one.com', hosts: ['one.com'] },
  { provider: 'dreamhost', hosts: ['mail.dreamhost.com'] },
  { provider: 'aruba', hosts: ['aruba.it'] },
  { provider: 'hostedemail', hosts: ['hostedemail.com'] },
  { provider: 'network solutions', hosts: ['netsolmail.net'] },

  // Gateways: their guides for the change of the MX record; mxsniff
  { provider: 'mimecast', hosts: ['mimecast.com', 'mimecast.co.za', 'mimecast-offshore.com'] },
  // Each customer decides whether unknown recipients are refused.
  { provider: 'proofpoint', hosts: ['pphosted.com'], mayAcceptAll: true },
  // Proofpoint Essentials has servers of its own, which know their recipients (ActiveCampaign/smtp-field-manual).
  { provider: 'proofpoint', hosts: ['ppe-hosted.com'] },
  { provider: 'barracuda', hosts: ['barracudanetworks.com'] },
  { provider: 'cisco', hosts: ['iphmx.com'] },
  { provider: 'symantec', hosts: ['messagelabs.com'] },
  { provider: 'trendmicro', hosts: ['trendmicro.com', 'trendmicro.eu'] },
  { provider: 'hornetsecurity', hosts: ['hornetsecurity.com', 'antispameurope.com'] },
  { provider: 'vade', hosts: ['vadesecure.com'] },
  { provider: 'sophos', hosts: ['hydra.sophos.com'] },
  {
    provider: 'spamexperts',
    hosts: ['antispamcloud.com', 'spamexperts.com', 'spamexperts.eu', 'spamexperts.net'],
  },
  { provider: 'siteground', hosts: ['mailspamprotection.com'] },
  { provider: 'forcepoint', hosts: ['mailcontrol.com'] },
  { provider: 'trellix', hosts: ['fireeyecloud.com'] },
  { provider: 'zix', hosts: ['arsmtp.com'] },
  { provider: 'mailroute', hosts: ['mailroute.net'] },
  { provider: 'cyren', hosts: ['expurgate.net', 'ctmail.com'] },

  // Forwarding and inbound parsing: the providers' documentation of their MX records
  { provider: 'cloudflare', hosts: ['mx.cloudflare.net'] },
  { provider: 'improvmx', hosts: ['improvmx.com'] },
  { provider: 'forwardemail', hosts: ['forwardemail.net'] },
  { provider: 'simplelogin', hosts: ['simplelogin.co'] },
  { provider: 'porkbun', hosts: ['fwd1.porkbun.com', 'fwd2.porkbun.com'] },
  // docs.aws.amazon.com, "Email receiving endpoints". Other names there are customers' own machines.
  { provider: 'amazon', hosts: ['inbound-smtp.*.amazonaws.com'] },
  { provider: 'mailgun', hosts: ['mailgun.org'] },
  { provider: 'sendgrid', hosts: ['sendgrid.net'] },
  { provider: 'postmark', hosts: ['inbound.postmarkapp.com'] },
  { provider: 'mandrill', hosts: ['mandrillapp.com'] },

  // Asia: exmail.qq.com, qiye.163.com, help.aliyun.com ("Alibaba Mail"), naver.worksmobile.com; mxsniff
  { provider: 'tencent', hosts: ['qq.com'] },
  { provider: 'netease', hosts: ['netease.com', '163.com', '126.com'] },
  { provider: 'aliyun', hosts: ['mxhichina.com', 'aliyun.com'] },
  { provider: 'naver', hosts: ['naver.com', 'worksmobile.com'] },
  { provider: 'kakao', hosts: ['hanmail.net', 'daum.net', 'kakao.com'] },
  { provider: 'rediff', hosts: ['rediff.akadns.net', 'rediffmailpro.com'] },

  // Access and portal providers: the MX records of their own domains in the DNS
  { provider: 'comcast', hosts: ['comcast.net'] },
  { provider: 'charter', hosts: ['charter.net'] },
  { provider: 'orange', hosts: ['orange.fr', 'wanadoo.fr'] },
  { provider: 'free', hosts: ['free.fr'] },
  { provider: 'sfr', hosts: ['sfr.fr'] },
  { provider: 'laposte', hosts: ['laposte.net'] },
  { provider: 't-online', hosts: ['t-online.de'] },
  { provider: 'freenet', hosts: ['freenet.de'] },
  { provider: 'libero', hosts: ['libero.it', 'virgilio.it'] },
  { provider: 'tiscali', hosts: ['tiscali.it'] },
  { provider: 'seznam', hosts: ['seznam.cz'] },
  { provider: 'wp', hosts: ['wp.pl', 'o2.pl', 'tlen.pl'] },
  { provider: 'onet', hosts: ['onet.pl'] },
  { provider: 'interia', hosts: ['interia.pl'] },
  { provider: 'rambler', hosts: ['rambler.ru'] },
  { provider: 'ukr.net', hosts: ['ukr.net'] },
];
