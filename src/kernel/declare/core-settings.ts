import { f } from './field.ts';
import { defineSetting, type SettingLimits } from './setting.ts';
import { addressFormat, networksFormat, originsFormat, operationsFormat } from './setting-formats.ts';

/** Of a setting that limits events of an hour: the time of each counted event is stored. */
export const COUNTED_PER_HOUR: SettingLimits = { range: [0, 10_000] };

/** Settings that the kernel reads. */
export const timeZone = defineSetting(
  'TimeZone',
  f.text({
    doc: "The installation's time zone, an IANA name. Times without a zone and schedules are in it.",
    max: 60,
  }),
  'America/New_York',
);
/** Working hours of the installation. */
export const businessHours = defineSetting(
  'BusinessHours',
  f.text({
    doc:
      "Working hours in the installation's time zone: days and times, comma-separated, such as " +
      '`Mon-Thu 08:00-17:00, Fri 08:00-15:00`. Business days are days with hours here that are not a ' +
      'Holiday.',
    max: 500,
  }),
  'Mon-Fri 08:00-17:00',
);
/** Deepest chain of operations calling one another. */
export const callDepthMax = defineSetting(
  'CallDepthMax',
  f.integer({ doc: 'Most levels of operations calling one another; deeper calls are refused.' }),
  32,
  { range: [1, 1000] },
);
/** Names of the queues; the first is the default. */
export const queueNames = defineSetting(
  'QueueNames',
  f.text({ doc: 'Queues that calls may be sent to, comma-separated; the first is the default.', max: 1000 }),
  'Default, Import, Batch, Mail, Report, Webhook',
);
/** Attempts of a queued call. */
export const queueAttemptsMax = defineSetting(
  'QueueAttemptsMax',
  f.integer({ doc: 'Attempts of a queued call before it becomes a dead letter.' }),
  5,
  { range: [1, 100] },
);
/** Retention of the history of changes, in months. */
export const historyMonths = defineSetting(
  'HistoryMonths',
  f.integer({
    doc:
      'Whole months for which the history of changes is kept; 0 keeps everything. Older entries are ' +
      'deleted for good.',
  }),
  0,
  { range: [0, 1200] },
);
/** Retention of the security log, in months. */
export const securityLogMonths = defineSetting(
  'SecurityLogMonths',
  f.integer({
    doc:
      'Months for which entries of the security log are kept; 0 keeps everything. Fewer months than the owner of the ' +
      'machine requires (`CASEWRIGHT_SECURITY_LOG_MONTHS`, by default 12) count as these.',
  }),
  0,
  { range: [0, 1200] },
);
/** Searches by Social Security number that each user may make. */
export const numberSearchesPerHour = defineSetting(
  'NumberSearchesPerHour',
  f.integer({
    doc:
      'Searches by full Social Security number that each user may make per hour; 0 allows none. Each ' +
      'is written to the security log. Whoever knows the last four digits needs 45,000 on average to find the others.',
  }),
  30,
  COUNTED_PER_HOUR,
);
/** Writes and merges of one user that compare a stored Social Security number with another one. */
export const numberComparisonsPerHour = defineSetting(
  'NumberComparisonsPerHour',
  f.integer({
    doc:
      'How often each user without UnmaskSSN may replace a Social Security number by another one that ends in the ' +
      'same four digits, and how often each user may try to merge contacts with different numbers, together per ' +
      'hour. Each is written to the security log. Numbers equal to the stored one do not count, but ' +
      'once the limit is reached they are refused as well: the difference would reveal the number. 0 allows none.',
  }),
  30,
  COUNTED_PER_HOUR,
);
/** Retention of the error log, in months. */
export const errorLogMonths = defineSetting(
  'ErrorLogMonths',
  f.integer({ doc: 'Months for which entries of the error log are kept; 0 keeps everything.' }),
  12,
  { range: [0, 1200] },
);
/** Retention of the import log, in months. */
export const importLogMonths = defineSetting(
  'ImportLogMonths',
  f.integer({
    doc:
      'Months for which the row-by-row import log, and batch rows with an outcome, are kept; 0 keeps ' +
      'everything. The imports themselves stay, with their counts.',
  }),
  0,
  { range: [0, 1200] },
);
/** Networks that are not public but may be connected to. */
export const outboundAllowedNetworks = defineSetting(
  'OutboundAllowedNetworks',
  f.text({
    doc:
      'Networks in CIDR notation, comma-separated, that the platform may send to (webhooks) although ' +
      'they are not public: for internal receivers.',
    max: 2000,
  }),
  '',
  { format: networksFormat },
);
/** Address at which people reach the installation. */
export const publicAddress = defineSetting(
  'PublicAddress',
  f.text({
    doc:
      'Address of the installation for people, such as `https://cases.example`: links in mails begin ' +
      'with it. Never taken from a request.',
    max: 500,
    exact: true,
  }),
  'http://127.0.0.1:8080',
  { format: addressFormat },
);
/** Plain HTTP to this machine. */
export const outboundHttpLoopback = defineSetting(
  'OutboundHttpLoopback',
  f.boolean({
    doc:
      'Whether the platform may send to this machine over plain http (`http://127.0.0.1:…`), which is ' +
      'otherwise refused; for development.',
  }),
  false,
);
/** Whether requests from the public internet may come unencrypted. */
export const httpPlainPublic = defineSetting(
  'HttpPlainPublic',
  f.boolean({
    doc:
      'Whether addresses of the public internet may call over plain HTTP, where anybody on the way reads passwords ' +
      'and keys. Leave it off, and put a proxy with HTTPS in front of the server.',
  }),
  false,
);
/** Whether agents may change anything. */
export const agentWrites = defineSetting(
  'AgentWrites',
  f.boolean({
    doc:
      "Whether agents may call operations that change data, within their user's permissions; otherwise " +
      'they only read.',
  }),
  false,
);
/** Operations that agents see as tools of their own. */
export const agentTools = defineSetting(
  'AgentTools',
  f.text({
    doc:
      'Operations offered to agents as separate tools besides the fixed ones, comma-separated: ' +
      "`loan/search, message/save`. At most 50; those that the agent's user may not call are left out.",
    max: 4000,
  }),
  '',
  { format: operationsFormat },
);
/** Web origins from which agents may call. */
export const agentOrigins = defineSetting(
  'AgentOrigins',
  f.text({
    doc:
      'Web origins from which agents may call, comma-separated, such as `https://agents.example`. ' +
      'Requests from pages of other origins are refused.',
    max: 2000,
  }),
  '',
  { format: originsFormat },
);
/** The setting for slow searches. */
export const slowSearchMilliseconds = defineSetting(
  'SlowSearchMilliseconds',
  f.integer({
    doc:
      'A search that takes longer than this many milliseconds is counted as slow if it reads a whole table, see ' +
      '`system/slowsearches`; 0 counts none.',
  }),
  200,
  { range: [0, 3_600_000] },
);
/** How long a browser's user is taken to be who signed in. */
export const confirmationMinutes = defineSetting(
  'ConfirmationMinutes',
  f.integer({
    doc:
      'Minutes after entering their password within which the user of a browser session may change the access of ' +
      'users (passwords, roles, API keys) without entering it again; at least 1.',
  }),
  10,
  { range: [1, 10_080] },
);
/** Whether pages lead people to the first steps. */
export const firstSteps = defineSetting(
  'FirstSteps',
  f.choice(['SetUp', 'Demo', 'Hidden'], {
    doc:
      'Where pages lead to the first steps, at `/welcome`. `SetUp`: the home page of administrators. `Demo`: also ' +
      "the sign-in page and everybody's sidebar, as the demo sets it. `Hidden`: nowhere.",
    valueLabels: { SetUp: 'For administrators', Demo: 'For everybody, as in the demo' },
  }),
  'SetUp',
);
/** Whether merge fields that find nothing are empty; otherwise they are errors. */
export const suppressSubstitutionErrors = defineSetting(
  'SuppressSubstitutionErrors',
  f.boolean({
    doc:
      'Whether a merge expression of a message template that finds nothing becomes empty text. If not, the message ' +
      'is refused, and the error names the expression.',
  }),
  true,
);

/** Whether calls that would store a card number are refused. */
export const refuseCardNumbers = defineSetting(
  'RefuseCardNumbers',
  f.boolean({
    doc:
      'Whether calls that send a card number in any text, such as a note, a rule or a file name, are refused. ' +
      'Turn it off only if your loan numbers look like card numbers; payments always refuse them.',
  }),
  true,
);

/** All settings of the kernel. */
export const coreSettings = [
  refuseCardNumbers,
  suppressSubstitutionErrors,
  timeZone,
  businessHours,
  callDepthMax,
  queueNames,
  queueAttemptsMax,
  confirmationMinutes,
  historyMonths,
  securityLogMonths,
  numberComparisonsPerHour,
  numberSearchesPerHour,
  errorLogMonths,
  importLogMonths,
  outboundAllowedNetworks,
  outboundHttpLoopback,
  httpPlainPublic,
  publicAddress,
  agentWrites,
  agentTools,
  agentOrigins,
  slowSearchMilliseconds,
  firstSteps,
] as const;
