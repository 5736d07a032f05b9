/** The subjects by which settings are grouped, each with the beginnings of the names of its settings. */
const subjects: readonly (readonly [subject: string, names: readonly string[]])[] = [
  ['General', ['BusinessHours', 'Environment', 'PublicAddress', 'TimeZone', 'InvestorName', 'FirstSteps']],
  ['Sign-in and sessions', ['ConfirmationMinutes', 'InitialPasswordDays', 'Session', 'SignIn']],
  [
    'Keys, agents and limits of use',
    [
      'AgentOrigins',
      'AgentTools',
      'AgentWrites',
      'ApiKey',
      'CallsPerMinuteMax',
      'LargeBodiesMax',
      'MegabytesPerDayMax',
      'NumberComparisonsPerHour',
      'NumberSearchesPerHour',
      'MilitaryChecksPerHour',
      'RefuseCardNumbers',
    ],
  ],
  ['Registration', ['Registration']],
  ['Network', ['HttpPlainPublic', 'Outbound']],
  ['Imports and file transfer', ['Import', 'Referral', 'LoanAssignment', 'Sftp', 'StagingTableDays', 'Watch']],
  [
    'Documents',
    [
      'AttachmentText',
      'Chromium',
      'Convert',
      'Document',
      'GenerateSeconds',
      'LibreOffice',
      'Malware',
      'Ocr',
      'Rendition',
      'Text',
      'Unzip',
      'Upload',
    ],
  ],
  [
    'Mail and webhooks',
    [
      'Bounce',
      'Letter',
      'Mail',
      'Received',
      'Reply',
      'RequestReadReceipts',
      'SecureLink',
      'Subject',
      'SuppressSubstitutionErrors',
      'Webhook',
    ],
  ],
  ['Workflows and work', ['Decision', 'SmartWorklist']],
  ['Rules and decision tables', ['BusinessRule', 'CallDepthMax', 'MatrixRecursion', 'RuleTraceDays']],
  ['Contacts and searches at other services', ['ContactMethod', 'Geocoder', 'NormalizeRunSeconds', 'SCRA']],
  ['Queues, statements and speed', ['Queue', 'SlowSearchMilliseconds', 'Statement']],
  ['Ledgers', ['ApplyPayment', 'Ledger', 'Payment', 'RefuseCardNumbers']],
  ['Health', ['Certificate', 'Disk']],
  ['Logs and history', ['ErrorLogMonths', 'HistoryMonths', 'ImportLogMonths', 'SecurityLogMonths']],
];

/** Settings of no subject; a test keeps it empty. */
export const OTHER_SUBJECT = 'Other';

/** Returns the subject of a setting. The longest name that a setting begins with decides. */
export function subjectOf(name: string): string {
  let best = { subject: OTHER_SUBJECT, length: 0 };
  for (const [subject, names] of subjects)
    for (const start of names)
      if (name.startsWith(start) && start.length > best.length) best = { subject, length: start.length };
  return best.subject;
}

/** All subjects in order. */
export const settingSubjects: readonly string[] = [...subjects.map(([subject]) => subject), OTHER_SUBJECT];
