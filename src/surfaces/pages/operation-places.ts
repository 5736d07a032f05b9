/**
 * Where the console offers each operation that needs a permission, or why it does not. A test compares the table with
 * the registry in both directions. All of them, with forms, are on the page `/operations`.
 */

// A place in the console for operations: `module/*` for those of a module, `*/name` for those of all record types.
export interface OperationPlace {
  readonly operations: readonly string[];
  /** The address of the page. */
  readonly page: string;
}

/** A reason why operations have no place of their own. */
export interface UnplacedOperations {
  readonly operations: readonly string[];
  readonly reason: string;
}

/** The places, by page. An operation's own entry decides, then that of all record types, then that of its module. */
export const operationPlaces: readonly OperationPlace[] = [
  {
    page: '/records/:module/:id',
    operations: [
      '*/save',
      '*/insert',
      '*/update',
      '*/select',
      '*/search',
      '*/summary',
      '*/listbyobject',
      '*/delete',
      '*/undelete',
      '*/history',
      '*/asof',
      '*/rollback',
      'record/*',
      'objectlink/*',
      'contact/*',
      'collection/*',
    ],
  },
  {
    page: '/imports',
    operations: ['import/*', 'importfile/*', 'importfilequeue/*', 'importfiletemplate/*', 'fileobject/expected'],
  },
  { page: '/administration', operations: ['system/*', 'queue/*', 'queueretry/*'] },
  { page: '/administration/files', operations: ['attachment/movefile'] },
  { page: '/administration/settings', operations: ['setting/changes'] },
  { page: '/administration/users', operations: ['role/*', 'apikey/*', 'session/*', 'handover/*'] },
  { page: '/mailings/:id', operations: ['delivery/*'] },
  { page: '/messages', operations: ['inbox/*', 'message/*'] },
  { page: '/messages/:id', operations: ['securelink/*'] },
  { page: '/messages/set-aside', operations: ['mailreceipt/*'] },
  { page: '/administration/mail-servers', operations: ['mailoutbound/*', 'maildelivery/*'] },
  { page: '/administration/mailboxes', operations: ['mailinbound/*', 'message/receive'] },
  { page: '/payments/:id', operations: ['payment/*'] },
  {
    page: '/payments/charge/:id',
    operations: ['ledger/authorizeandcapture', 'paymentmethod/authorizeandcapture'],
  },
  { page: '/payments/methods', operations: ['paymentmethod/*', 'paymentcustomer/*'] },
  { page: '/payments/methods/continue', operations: ['paymentmethod/continuevaulting'] },
  { page: '/payments/methods/return', operations: ['paymentmethod/finishvaulting'] },
  { page: '/payments/test-gateway/:reference', operations: ['paymentmethod/completetestpage'] },
  { page: '/payments/subscriptions', operations: ['paymentsubscription/*'] },
  { page: '/payments/reconciliation', operations: ['payment/reconcile', 'paymentdifference/*'] },
  { page: '/administration/payment-gateways', operations: ['paymentprovider/*'] },
  { page: '/assignments', operations: ['loan/*'] },
  {
    page: '/case/:class/:id',
    operations: ['process/*', 'attachment/*', 'decision/*', 'decisionstep/*', 'score/*'],
  },
  { page: '/ledgers/:id', operations: ['ledger/*', 'ledgeritem/*'] },
  {
    page: '/timesheets',
    operations: [
      'ledgeritem/approve',
      'ledgeritem/reject',
      'ledgeritem/undoreview',
      'ledgeritem/timeentries',
      'ledgeritem/timetotals',
    ],
  },
  { page: '/ledgers/:id/paste', operations: ['ledger/addlines'] },
  { page: '/ledgers/:id/pay', operations: ['ledger/applypayment', 'ledger/previewpayment'] },
  { page: '/ledgers/:id/payments/:line', operations: ['ledger/reversepayment'] },
  { page: '/configure/documents/:id', operations: ['attachmenttemplate/*'] },
  { page: '/configure/ledgers/:id', operations: ['ledgertemplate/*'] },
  {
    page: '/documents/:id',
    operations: [
      'attachment/pageimage',
      'attachment/pagetext',
      'attachment/pagecount',
      'attachment/findtext',
      'attachment/versions',
      'attachment/restoreversion',
      'attachment/convertsave',
      'attachment/hold',
      'attachment/releasehold',
      'attachment/scan',
      'attachment/releasequarantine',
      'attachment/getduplicates',
    ],
  },
  { page: '/work', operations: ['smartworklist/*', 'smartworklistmember/*', 'importform/*'] },
  {
    page: '/configure',
    operations: [
      'matrix/*',
      'pagelayout/*',
      'configuration/*',
      'decisiontemplate/*',
      'importformtemplate/*',
      'scoretemplate/*',
      'smartworklisttemplate/*',
      'businessrule/*',
      'webhook/*',
      'webhookdelivery/*',
      'sftpaccount/*',
      'fileobject/*',
      'mailhouse/*',
    ],
  },
  { page: '/records/:module', operations: ['view/*', 'bulkrun/*'] },
  { page: '/cases', operations: ['casesummary/*'] },
  { page: '/records/organization/:id', operations: ['organization/*'] },
];

/** Operations without a place, each with the reason. */
export const unplacedOperations: readonly UnplacedOperations[] = [
  {
    reason: 'Configuration goes from one installation to another by programs and the command line.',
    operations: ['*/export', '*/import'],
  },
  {
    reason: 'Called by configuration: rule sets and merge fields apply decision tables to records.',
    operations: ['*/lookupfrommatrix', '*/updatefrommatrix', '*/updatefromrule', '*/ruletraces'],
  },
  {
    reason: 'Only for programs: they move files between storage locations.',
    operations: ['attachment/copyfile', 'attachment/transferfile', 'attachment/watch', 'delivery/watch'],
  },
  {
    reason: 'The platform queues these calls for its own work.',
    operations: [
      'decisionstep/stalledstepsrequeue',
      'paymentsubscription/settle',
      'paymentmethod/settle',
      'maildelivery/deliver',
      'delivery/send',
      'webhookdelivery/deliver',
      'organization/expireregistrations',
      'smartworklistmember/releaseexpired',
    ],
  },
];

/** Where an operation is offered, or why not. */
export type PlaceOfOperation = { readonly page: string } | { readonly reason: string };

const entries: ReadonlyMap<string, PlaceOfOperation> = new Map<string, PlaceOfOperation>([
  ...operationPlaces.flatMap(({ page, operations }) => operations.map((name) => [name, { page }] as const)),
  ...unplacedOperations.flatMap(({ reason, operations }) => operations.map((name) => [name, { reason }] as const)),
]);

/** Returns the entry that decides about an operation: its own, that of all record types, or that of its module. */
export function entryOf(route: string): string | undefined {
  const [module = '', ...path] = route.toLowerCase().split('/');
  return [`${module}/${path.join('/')}`, `*/${path.join('/')}`, `${module}/*`].find((name) => entries.has(name));
}

/** Returns where an operation is offered, or why not. */
export function placeOfOperation(route: string): PlaceOfOperation | undefined {
  const entry = entryOf(route);
  return entry === undefined ? undefined : entries.get(entry);
}
