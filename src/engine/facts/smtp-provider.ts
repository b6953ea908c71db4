/** The mail servers of well-known domains, for results without a lookup. */

interface MailHost {
  readonly provider: string | null;
  readonly mxRecord: string;
}

const HOSTS: readonly { provider: string; mxRecord: string; domains: RegExp }[] = [
  { provider: 'google', mxRecord: 'gmail-smtp-in.l.google.com', domains: /^(gmail|googlemail)\.com$/ },
  {
    provider: 'microsoft',
    mxRecord: 'outlook-com.olc.protection.outlook.com',
    domains: /^((outlook|hotmail|live)\.[a-z]{2,3}(\.[a-z]{2})?|msn\.com)$/,
  },
  {
    provider: 'yahoo',
    mxRecord: 'mta5.am0.yahoodns.net',
    domains: /^((yahoo|ymail|rocketmail|aol)\.[a-z]{2,3}(\.[a-z]{2})?|aim\.com)$/,
  },
  { provider: 'apple', mxRecord: 'mx01.mail.icloud.com', domains: /^(icloud|me|mac)\.com$/ },
  {
    provider: 'protonmail',
    mxRecord: 'mail.protonmail.ch',
    domains: /^(proton\.me|protonmail\.(com|ch)|pm\.me)$/,
  },
  { provider: 'gmx', mxRecord: 'mx00.gmx.net', domains: /^(gmx\.(net|de|at|ch|com)|web\.de)$/ },
  { provider: 'zoho', mxRecord: 'mx.zoho.com', domains: /^zoho(mail)?\.(com|eu)$/ },
  { provider: 'fastmail', mxRecord: 'in1-smtp.messagingengine.com', domains: /^fastmail\.(com|fm)$/ },
  { provider: 'yandex', mxRecord: 'mx.yandex.ru', domains: /^(yandex\.[a-z]{2,3}|ya\.ru)$/ },
  {
    provider: 'mailru',
    mxRecord: 'mxs.mail.ru',
    domains: /^((mail|list|bk|inbox|internet|xmail)\.ru|vk\.com)$/,
  },
];

/** @param domain in ASCII */
export function mailHostOf(domain: string): MailHost {
  const known = HOSTS.find(({ domains }) => domains.test(domain));
  return known ?? { provider: null, mxRecord: `mx.${domain}` };
}
