/** A role of the standard configuration. */
export interface BuiltinRole {
  readonly Role: string;
  readonly Description: string;
  readonly Permissions: string;
  readonly UniversalAccess: boolean;
}

const READ_PERMISSIONS = 'RecordFind *Select *Search *Summary *ListByObject';

/** Modules of access and configuration: for administrators only. */
const administrationModules = [
  'Person',
  'Role',
  'ApiKey',
  'Session',
  'Preference',
  'Follow',
  'Notification',
  'Handover',
  'Setting',
  'Statement',
  'SecurityLog',
  'ErrorLog',
  'Queue',
  'Metrics',
  'System',
  'ObjectSubscription',
  'Webhook',
  'WebhookDelivery',
  'SftpAccount',
  'FileObject',
  'MailOutbound',
  'MailDelivery',
  'MailInbound',
  'MailProcessor',
  'MailReceipt',
  'MailSuppression',
  'SecureLink',
  'MailHouse',
  'PaymentEvent',
  'PaymentProvider',
  'BusinessRule',
  'MilitaryService',
];
/**
 * They may hold prices and agreements of others: a firm reads or looks them up only if one of its own roles grants it.
 */
const matrixModules = ['Matrix', 'MatrixDimension', 'MatrixMeasure', 'MatrixFact'];
const templateModules = [
  'ImportFileTemplate',
  'ImportFileMap',
  'ImportFormTemplate',
  'ImportFormQuestion',
  'ImportFormStatus',
  'ImportFormTransition',
  'DecisionDelayTemplate',
  'DecisionTemplate',
  'DecisionStepTemplate',
  'DecisionDependency',
  'EventCode',
  'MessageTemplate',
  'AttachmentTemplate',
  'LedgerTemplate',
  'LedgerTemplateItem',
  'ScoreTemplate',
  'ScoreItemTemplate',
  'Transform',
  'CustomField',
  ...matrixModules,
  'ContactTemplate',
  'CollectionTemplate',
  'SmartWorklistTemplate',
  'Geography',
  'Holiday',
  'Schedule',
  'PageLayout',
];

/** How workflows and queues are configured: what they call, with which values, for whom. Firms see only the result. */
const workflowInternals = ['DecisionStepTemplate', 'DecisionDependency', 'SmartWorklistTemplate'];

/** Lines of templates, with prices and how they are calculated or read: firms see the ledgers, scores and imports. */
const templateLines = ['LedgerTemplateItem', 'ScoreItemTemplate', 'ImportFileMap'];

/** Operations named search that change data: a right to read does not include them. */
const SEARCHES_THAT_WRITE = '-ContactSCRASearch';

const deny = (names: readonly string[], operations = '*'): string => names.map((n) => `-${n}${operations}`).join(' ');
const denyChanges = (names: readonly string[]): string =>
  [
    'Save',
    'Insert',
    'Update',
    'Delete',
    'Undelete',
    'Rollback',
    'UpdateFromRule',
    'UpdateFromMatrix',
    'Export',
    'Import',
  ]
    .map((operation) => deny(names, operation))
    .join(' ');

/** Operations that create queue types and bind them. */
const WORKLIST_CONFIGURATION =
  '-SmartWorklistTemplateCreate -SmartWorklistTemplateCreateTeamMatrix -SmartWorklistTemplateCreateAuditMatrix ' +
  '-SmartWorklistTemplateAssignTeam -ImportFormTemplateCreateWorklist';

/** Joining an organization, and the platform's own work on it: for administrators. */
const ONBOARDING =
  '-OrganizationEnroll -OrganizationExpireRegistrations -OrganizationLookup -OrganizationRenewLookup ' +
  '-OrganizationWithdrawLookup';

/** Seeing whole Social Security numbers, and releasing legal holds and files with malware: only where granted. */
const RESERVED = '-UnmaskSSN -AttachmentReleaseHold -AttachmentReleaseQuarantine';

/** Operations that give away or complete the work of other people, or change what they see: for team leads. */
const OTHER_PEOPLES_WORK =
  '-SmartWorklistMemberReassign -SmartWorklistMemberBulkComplete -SmartWorklistMemberAutoAssign ' +
  '-SmartWorklistAutoAssign -SmartWorklistRestart -ViewShare';

/** What staff may do, and what a team lead may do besides their work. */
const STAFF_PERMISSIONS = [
  `* ${deny(administrationModules)} ${denyChanges(templateModules)} -ScoreTemplateCreate -DecisionTemplateCopy`,
  WORKLIST_CONFIGURATION,
  `-MatrixImportTable ${ONBOARDING} ${RESERVED} PersonSelect PersonSearch QueueStatus QueueSchedules QueueCancel`,
];

/** Modules of configuration that administrators share with analysts. */
const analystModules = new Set(['Statement', 'BusinessRule', 'MailProcessor']);

/**
 * Permissions of an analyst: configuration, and everything that staff and team leads may do, because users can only
 * configure calls that they may make. Excludes whatever decides users' permissions or where data goes.
 */
const ANALYST_PERMISSIONS = [
  `* ${deny(administrationModules.filter((name) => !analystModules.has(name)))}`,
  // A rule names its mailbox, whose credentials nobody sees.
  `${ONBOARDING} ${RESERVED} MailInboundSelect MailInboundSearch`,
  'PersonSelect PersonSearch QueueStatus QueueSchedules QueueCancel',
];

/** The roles of every installation. What each may do is defined only here. */
export const builtinRoles: readonly BuiltinRole[] = [
  {
    Role: 'Administrator',
    Description: 'All operations on all rows.',
    Permissions: '*',
    UniversalAccess: true,
  },
  {
    Role: 'Staff',
    Description: 'Everything except access, configuration, and the work items of other people.',
    Permissions: [...STAFF_PERMISSIONS, OTHER_PEOPLES_WORK].join(' '),
    UniversalAccess: true,
  },
  {
    Role: 'Team lead',
    Description: 'What Staff may do; also reassigns and completes the work items of other people.',
    Permissions: STAFF_PERMISSIONS.join(' '),
    UniversalAccess: true,
  },
  {
    Role: 'Analyst',
    Description:
      'Staff who configure workflows, forms, rules, scores, imports, queues and reports; not users, keys or settings.',
    Permissions: ANALYST_PERMISSIONS.join(' '),
    UniversalAccess: true,
  },
  {
    Role: 'Read Only',
    Description: 'Read-only operations, except access and configuration.',
    Permissions: [
      `${READ_PERMISSIONS} *History *AsOf *Download ImportResult ImportSchema ImportFileImportResults`,
      'ImportFileProgress ImportFileResults ImportFilePreview ImportFormDescribe ImportFormTransitions DecisionOutline',
      'DecisionTemplateFlowchart DecisionPreview DecisionProject *LookupFromMatrix CollectionMemberList',
      'ContactAddressParts ContactMatchNames ContactIsNameContained MatrixLookup MatrixLookupByObject MatrixColumns',
      'MatrixExplain MatrixAnalyze MatrixExportTable SmartWorklistCounts SmartWorklistMemberExplain',
      `${deny(administrationModules)} ${SEARCHES_THAT_WRITE}`,
    ].join(' '),
    UniversalAccess: true,
  },
  {
    Role: 'Partner',
    Description: "A firm's user: sends referrals and reads what the firm can see.",
    Permissions: [
      'ImportTemplate ImportResult ImportSchema ImportFileImport ImportFileImportResults ImportFileProgress',
      'ImportFileStop ImportFileResume ImportFileCorrections ImportFormDescribe ImportFormTransitions DecisionOutline',
      'DecisionProject RecordFind ContactMatchNames ContactIsNameContained',
      '*Select *Search *Summary *ListByObject *Download QueueStatus',
      deny([...administrationModules, ...matrixModules, ...workflowInternals, ...templateLines]),
      `-DecisionTemplateSummary QueueStatus ${SEARCHES_THAT_WRITE}`,
    ].join(' '),
    UniversalAccess: false,
  },
  {
    Role: 'Data Service',
    Description: 'Services that return results by callback, and nothing else.',
    Permissions: '',
    UniversalAccess: false,
  },
];
