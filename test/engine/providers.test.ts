import { expect, it } from 'vitest';
import { mailHostOf } from '../../src/engine/facts/smtp-provider.ts';
import { PROVIDERS } from '../../src/engine/provider-table.ts';
import { organisationOf } from '../../src/engine/providers.ts';
import { stopIfEndless } from '../stop-if-endless.ts';

it.each([
  ['aspmx.l.google.com', 'google'],
  ['ALT1.ASPMX.L.GOOGLE.COM.', 'google'],
  ['smtp.google.com', 'google'],
  ['gmail-smtp-in.l.google.com', 'google'],
  ['aspmx2.googlemail.com', 'google'],
  ['company-example.mail.protection.outlook.com', 'microsoft'],
  ['outlook-com.olc.protection.outlook.com', 'microsoft'],
  ['company-example.p-v1.mx.microsoft', 'microsoft'],
  ['company-example.mail.protection.office365.us', 'microsoft'],
  ['company-cn.mail.protection.partner.outlook.cn', 'microsoft'],
  ['mta5.am0.yahoodns.net', 'yahoo'],
  ['mx-aol.mail.gm0.yahoodns.net', 'yahoo'],
  ['mx1.mail.yahoo.co.jp', 'yahoo-japan'],
  ['mx01.mail.icloud.com', 'apple'],
  ['mailsec.protonmail.ch', 'protonmail'],
  ['smtpin.zoho.eu', 'zoho'],
  ['mx2.zohomail.com', 'zoho'],
  ['in1-smtp.messagingengine.com', 'fastmail'],
  ['mx.yandex.ru', 'yandex'],
  ['emx.mail.ru', 'mailru'],
  ['mx00.gmx.net', 'gmx'],
  ['mx-ha02.web.de', 'gmx'],
  ['mx01.mail.com', 'gmx'],
  ['mx00.ionos.de', 'ionos'],
  ['mx00.kundenserver.de', 'ionos'],
  ['mx1.mail.ovh.net', 'ovh'],
  ['spool.mail.gandi.net', 'gandi'],
  ['mx1.hostinger.com', 'hostinger'],
  ['smtp.europe.secureserver.net', 'godaddy'],
  ['mx1.emailsrvr.com', 'rackspace'],
  ['mx1.privateemail.com', 'namecheap'],
  ['mx1-hosting.jellyfish.systems', 'namecheap'],
  ['eu-smtp-inbound-1.mimecast.com', 'mimecast'],
  ['mxa-00000001.gslb.pphosted.com', 'proofpoint'],
  ['mx1-us1.ppe-hosted.com', 'proofpoint'],
  ['d1.a.ess.barracudanetworks.com', 'barracuda'],
  ['mx1.hc0001-00.iphmx.com', 'cisco'],
  ['cluster1.eu.messagelabs.com', 'symantec'],
  ['in.tmes.trendmicro.eu', 'trendmicro'],
  ['mx01.hornetsecurity.com', 'hornetsecurity'],
  ['mx-01-us-west-2.prod.hydra.sophos.com', 'sophos'],
  ['mx1.antispamcloud.com', 'spamexperts'],
  ['mxa.eu.mailgun.org', 'mailgun'],
  ['mx.sendgrid.net', 'sendgrid'],
  ['inbound-smtp.eu-west-1.amazonaws.com', 'amazon'],
  ['a.b.inbound-smtp.eu-west-1.amazonaws.com', 'amazon'],
  ['route1.mx.cloudflare.net', 'cloudflare'],
  ['mx1.improvmx.com', 'improvmx'],
  ['mx1.forwardemail.net', 'forwardemail'],
  ['mxbiz1.qq.com', 'tencent'],
  ['163mx00.mxmail.netease.com', 'netease'],
  ['mx1.qiye.aliyun.com', 'aliyun'],
  ['mxn.mxhichina.com', 'aliyun'],
  ['mx1.naver.com', 'naver'],
  ['kr1-aspmx1.worksmobile.com', 'naver'],
  ['mx1.hanmail.net', 'kakao'],
  ['mx.rediffmail.rediff.akadns.net', 'rediff'],
  ['mx1.comcast.net', 'comcast'],
  ['smtp-in.orange.fr', 'orange'],
  ['mx1.free.fr', 'free'],
  ['smtp-in.libero.it', 'libero'],
  ['mx00.t-online.de', 't-online'],
  ['mx1.seznam.cz', 'seznam'],
  ['mx.wp.pl', 'wp'],
  ['mx.poczta.onet.pl', 'onet'],
  ['mx.interia.pl', 'interia'],
  ['mail.tutanota.de', 'tutanota'],
  ['mxext1.mailbox.org', 'mailbox.org'],
  ['mx03.posteo.de', 'posteo'],
  ['aspmx1.migadu.com', 'migadu'],
  ['smtpin.rzone.de', 'strato'],
])('finds the provider of the host %s: %s', (host, provider) => {
  expect(organisationOf(host)).toMatchObject({ id: provider, provider });
});

it.each([
  ['mx1.evilgoogle.com', 'evilgoogle.com'],
  ['google.com.evil.example', 'evil.example'],
  ['aspmx.l.google.com.evil.co.uk', 'evil.co.uk'],
  ['mx.notqq.com', 'notqq.com'],
  ['notmail.gandi.net', 'gandi.net'],
  ['mx.company.example', 'company.example'],
  ['mx.company.co.uk', 'company.co.uk'],
  ['MX.Company.Example.', 'company.example'],
  ['company.github.io', 'company.github.io'],
  ['ec2-192-0-2-1.compute-1.amazonaws.com', 'ec2-192-0-2-1.compute-1.amazonaws.com'],
  ['inbound-smtp.a.b.amazonaws.com', 'amazonaws.com'],
  ['localhost', 'localhost'],
  ['com', 'com'],
  ['', ''],
  ['.', ''],
])('finds that %s belongs to %s, which is not a well-known provider', (host, id) => {
  expect(organisationOf(host)).toEqual({ id });
});

it('probes Microsoft separately, with at most five recipients in a conversation', () => {
  expect(organisationOf('x.mail.protection.outlook.com')).toEqual({
    id: 'microsoft',
    provider: 'microsoft',
    probesApart: true,
    refusesByClosing: true,
    limits: { recipientsPerConnection: 5 },
  });
});

it('expects these providers to accept every recipient, and Proofpoint perhaps', () => {
  const hostsWith = (flag: 'acceptsAll' | 'mayAcceptAll') =>
    PROVIDERS.filter((entry) => entry[flag]).map(({ provider, hosts }) => [provider, ...hosts]);
  expect(hostsWith('acceptsAll').map(([provider]) => provider)).toEqual([
    'yahoo',
    'yahoo-japan',
    'mailru',
    'purelymail',
  ]);
  expect(hostsWith('mayAcceptAll')).toEqual([['proofpoint', 'pphosted.com']]);
});

it('knows that the servers of Proofpoint Essentials refuse unknown recipients, at the same organisation', () => {
  expect(organisationOf('mx1-us1.ppe-hosted.com')).toEqual({ id: 'proofpoint', provider: 'proofpoint' });
  expect(organisationOf('mx0a-001.gslb.pphosted.com')).toEqual({
    id: 'proofpoint',
    provider: 'proofpoint',
    mayAcceptAll: true,
  });
});

it.each([
  'gmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
  'proton.me',
  'gmx.de',
  'zoho.com',
  'fastmail.com',
])('names the provider of %s as the facts about domains do', (domain) => {
  const { provider, mxRecord } = mailHostOf(domain);
  expect(organisationOf(mxRecord).provider).toBe(provider);
});

it('knows more than forty providers, each once, by names that only one of them has', () => {
  const hosts = PROVIDERS.flatMap((entry) => entry.hosts);
  expect(PROVIDERS.length).toBeGreaterThan(40);
  const providers = PROVIDERS.map(({ provider }) => provider);
  // Proofpoint has two kinds of servers.
  expect(providers.filter((provider, index) => providers.indexOf(provider) < index)).toEqual(['proofpoint']);
  expect(new Set(hosts).size).toBe(hosts.length);
  expect(hosts.filter((host) => !/^[a-z0-9*-]+(\.[a-z0-9*-]+)+$/.test(host))).toEqual([]);
  // The code replaces the second label only.
  expect(hosts.filter((host) => host.includes('*') && !/^[^.*]+\.\*\.[^*]+$/.test(host))).toEqual([]);
});

it.each([
  ['labels', 'a.'],
  ['letters', 'x'],
  ['dots', '.'],
])('reads a name of a million %s to its end', (_, piece) => {
  const name = piece.repeat(1_000_000);
  expect(stopIfEndless(() => organisationOf(name).provider)).toBeUndefined();
  expect(stopIfEndless(() => organisationOf(`${name}.google.com`).provider)).toBe('google');
});
