/**
 * The mail servers of disposable mailboxes: their names, or parent names. Such a service changes its domains every week,
 * and keeps its servers. Each line has a public source that shows domains with this MX.
 */
const SOURCED: Readonly<Record<string, readonly string[]>> = {
  'github.com/disposable-email-domains/disposable-email-domains/pull/169': ['mx.discard.email'],
  'github.com/disposable-email-domains/disposable-email-domains/pull/472': ['mail.temporary-mail.net'],
  'github.com/disposable-email-domains/disposable-email-domains/pull/611': ['in.mail.tm'],
  'github.com/disposable-email-domains/disposable-email-domains/pull/629': ['hi.mail.cx'],
  'github.com/disposable-email-domains/disposable-email-domains/issues/1185': [
    ...['mail.wabblywabble.com', 'mail.wallywatts.com'],
  ],
  'github.com/disposable/disposable/issues/177': ['mx.mail-data.net'],
  'github.com/disposable/disposable/issues/287': ['tempamail.com', 'mail.dustmail.net'],
  'github.com/ivolo/disposable-email-domains/pull/58': ['mytemp.email'],
  'github.com/ivolo/disposable-email-domains/pull/924': ['mailinator.com'],
  'github.com/wesbos/burner-email-providers/pull/547': ['mx2.den.yt'],
  'github.com/duhow/mail-checker, mail_checker/const.py': [
    ...['mx1.icdn.be', 'generator.email', 'tempm.com', 'emailfake.com', 'email-fake.com', 'smtp.yopmail.com'],
    ...['mx.moakt.com', 'mx.temp-mail.io', 'mx2.temp-mail.io', 'prd-smtp.10minutemail.com', 'mailnesia.com'],
    'mx.1secmail.com',
  ],
};

/** The day on which the list was last changed. */
export const DISPOSABLE_MAIL_SERVERS_DAY = '2026-11-26';

export const DISPOSABLE_MAIL_SERVERS: readonly string[] = Object.values(SOURCED).flat();
