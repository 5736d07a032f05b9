import { hideWelcome, welcomePage } from './first-run/welcome-page.ts';
import { shortcutsPage } from './palette/shortcuts-page.ts';
import { paletteResultsPage } from './palette/palette-results.ts';
import { readFileSync } from 'node:fs';
import type { Describer } from '../shared/description.ts';
import { accountPage, changePassword, endOwnSessions } from './account.ts';
import { assetPage } from './assets/assets.ts';
import { administrationPage } from './administration/overview.ts';
import { changeHealth, healthPage } from './administration/health.ts';
import { roleComparisonPage } from './administration/role-comparison.ts';
import { rolesPage } from './administration/roles.ts';
import { securityPage } from './administration/security-log.ts';
import { endSession, sessionsPage } from './administration/sessions.ts';
import { filesPage } from './administration/files.ts';
import { changeIndexes, indexesPage } from './administration/indexes.ts';
import { keysPage, revokeKey } from './administration/keys.ts';
import { causePage } from './administration/dead-letter-causes.ts';
import { queueRetryPage, stopQueueRetry } from './administration/queue-retry.ts';
import { queuedMessagePage } from './administration/queued-message.ts';
import { controlQueue, queuesPage } from './administration/queues.ts';
import { settingHistoryPage } from './administration/setting-history.ts';
import { saveSetting, settingsPage } from './administration/settings.ts';
import { deactivateUser, userHoldingsPage } from './administration/user-holdings.ts';
import {
  createKey,
  newUserPage,
  reactivateUser,
  saveNewUser,
  saveUser,
  userPage,
  usersPage,
} from './administration/users.ts';
import { casePage, changeCase } from './case/case-page.ts';
import { changePage, confirmChange } from './case/change-page.ts';
import { datesPage } from './case/dates-page.ts';
import { changeDocumentType, documentTypePage } from './configure/document-type-page.ts';
import {
  changeMessageTemplate,
  messageTemplateFrame,
  messageTemplatePage,
  messageTemplatePreview,
} from './configure/message-template-page.ts';
import { importTypePage, tryImportType } from './configure/import-type-page.ts';
import { configurationChangesPage } from './configure/changes-page.ts';
import { exportPage, importPage as configurationImportPage, runImport } from './configure/transfer-page.ts';
import { ledgerTemplatePage, saveLedgerTemplate } from './configure/ledger-template-page.ts';
import { saveTemplateLine, templateLinePage } from './configure/ledger-template-line.ts';
import { configurePage } from './configure/configure-page.ts';
import { problemsPage } from './configure/problems-page.ts';
import { usesPage } from './configure/uses-page.ts';
import {
  changeMatrixColumn,
  changeMatrixColumns,
  matrixColumnPage,
  matrixColumnsPage,
  removeColumnPage,
  removeMatrixColumn,
} from './editors/matrix-columns.ts';
import {
  discardLayout,
  discardLayoutPage,
  layoutVersionsPage,
  publishLayout,
  publishLayoutPage,
  restoreLayoutVersion,
} from './editors/layout-actions.ts';
import { changeLayout, layoutPage } from './editors/layout-page.ts';
import { confirmIdentityPage } from './confirm.ts';
import { confirmDelete, deletePage, restoreDeleted } from './records/delete-page.ts';
import { editPage, newPage, saveEdit, saveNew } from './records/edit-page.ts';
import {
  acceptPage,
  acceptWarning,
  discardMatrix,
  discardPage,
  publishMatrix,
  publishPage,
} from './editors/matrix-actions.ts';
import { importMatrix, matrixImportPage } from './editors/matrix-import.ts';
import { matrixChecksPage, matrixPage } from './editors/matrix-page.ts';
import { matrixRowPage, saveMatrixRow } from './editors/matrix-row.ts';
import { trialPage } from './editors/matrix-trial.ts';
import { recordChoicesPage } from './trial/record-choices.ts';
import { tryPage } from './trial/trial-page.ts';
import { matrixUsesPage, matrixVersionsPage, restoreMatrixVersion } from './editors/matrix-versions.ts';
import { formPage, newFormPage, saveForm, saveNewForm } from './forms/task-form.ts';
import { historyPage } from './records/history-page.ts';
import { composePage, sendMessage } from './messages/compose-page.ts';
import { inboxPage } from './messages/inbox-page.ts';
import { changeMessage } from './messages/message-actions.ts';
import { outcomePage, resendMessage, templateOutcomePage } from './messages/outcome-page.ts';
import { threadPage } from './messages/thread-page.ts';
import { blockedPage, changeBlocked } from './messages/blocked-page.ts';
import { mailServersPage, testMailServer } from './messages/mail-servers-page.ts';
import { changeMailbox, mailboxesPage } from './messages/mailboxes-page.ts';
import { retryMail, setAsidePage } from './messages/set-aside-page.ts';
import { unfiledPage } from './messages/unfiled-page.ts';
import { ledgerPage, postLedger } from './ledgers/ledger-page.ts';
import { addPastedLines, pastePage } from './ledgers/paste-page.ts';
import { applyPayment, paymentFormPage } from './ledgers/payment-form.ts';
import { paymentPage, reversePayment } from './ledgers/payment-page.ts';
import { reviewTime, timePage } from './ledgers/time-page.ts';
import { chargeLedger, chargePage } from './payments/charge-page.ts';
import { disputesPage } from './payments/disputes-page.ts';
import { gatewaysPage, testGateway } from './payments/gateways-page.ts';
import {
  completeTestGatewayPage,
  continueMethodPage,
  returnFromGateway,
  testGatewayPage,
} from './payments/gateway-page.ts';
import { changeMethods, methodsPage } from './payments/methods-page.ts';
import { changePayment, paymentPage as gatewayPaymentPage } from './payments/payment-page.ts';
import { paymentsPage } from './payments/payments-page.ts';
import { changeReconciliation, reconciliationPage } from './payments/reconciliation-page.ts';
import {
  cancelSubscription,
  newSubscriptionPage,
  startSubscription,
  subscriptionsPage,
} from './payments/subscriptions-page.ts';
import { testMailHouse } from './mailings/mail-house-test.ts';
import { changeMailing, mailingPage } from './mailings/mailing-page.ts';
import { newMailingPage, prepareMailing } from './mailings/new-mailing-page.ts';
import { changeDocuments } from './documents/document-bulk.ts';
import { generateOnRecord, generatePage } from './documents/generate-page.ts';
import { changeQuarantine, quarantinePage } from './documents/quarantine-page.ts';
import { duplicatesPage } from './documents/duplicates-page.ts';
import { changeLegalHold, legalHoldPage, legalHoldsPage, placeLegalHold } from './documents/legal-hold-pages.ts';
import { changeDocument, viewerPage } from './documents/viewer-page.ts';
import { uploadDocument } from './documents/upload-form.ts';
import { galleryPage } from './design/gallery.ts';
import { homePage } from './home/home-page.ts';
import { batchCallPage, correctBatchCall } from './imports/call-page.ts';
import { requeuePage } from './imports/batch-failures.ts';
import { controlImport, importPage } from './imports/import-page.ts';
import { importsPage } from './imports/imports-page.ts';
import { correctImportRow, importRowPage } from './imports/row-page.ts';
import { sftpPage } from './imports/sftp-page.ts';
import { uploadPage } from './imports/upload-page.ts';
import { asOfPage, rollBack, undoChange } from './records/as-of-page.ts';
import { recordsPage } from './records/all-records.ts';
import { bulkPage } from './lists/bulk-page.ts';
import { bulkRunPage, controlBulkRun } from './lists/bulk-run-page.ts';
import { casesPage, knownListPages, recordListPage } from './lists/list-page.ts';
import { previewPage } from './lists/preview.ts';
import { changeView } from './lists/view-actions.ts';
import { assignmentsPage, changeAssignments } from './loans/assignment-list.ts';
import { comparePage } from './loans/compare-page.ts';
import { numberSearchPage } from './records/number-search.ts';
import { operationPages } from './operations.ts';
import { sendRedirect, type Page } from './page.ts';
import { unknownPage } from './unknown.ts';
import { changeFollow } from './notifications/follow-button.ts';
import {
  markNotificationsRead,
  notificationPanel,
  notificationsPage,
  openNotification,
} from './notifications/notifications-page.ts';
import { preferencesPage, savePreferences } from './preferences/preferences-page.ts';
import { recordPage } from './records/record-page.ts';
import { arrangePin, pinnedViewsPage, sidebarFragment } from './shell/pinned-views-page.ts';
import { confirmPage, confirmRegistration, register, registerPage } from './sign-in/registration.ts';
import { searchPage } from './search/search-page.ts';
import { notePage, reassignPage, skipPage } from './work/action-pages.ts';
import { changeItems } from './team/move-items.ts';
import { openSecure, secureBody, securePage } from './secure/secure-page.ts';
import { teamPage } from './team/team-page.ts';
import { whyPage } from './team/why-page.ts';
import { unsubscribe, unsubscribePage } from './sign-in/unsubscribe-page.ts';
import { signIn, signInPage, signOut } from './sign-in/sign-in.ts';
import { doWork, workPage } from './work/work-page.ts';

/** How long browsers cache styles and scripts: long enough for one visit, short enough for an upgrade. */
const ASSET_AGE_SECONDS_MAX = 300;

/** The style sheets of answers that are read as pages, in the order in which they are joined into `/style.css`. */
const ANSWER_SHEETS = ['design/tokens.css', 'answer.css'];

/** Serves files of this folder, read once and joined in the given order. */
function asset(mime: string, ...names: readonly string[]): Page {
  const content = names.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n');
  return (_platform, _request, reply) => {
    void reply
      .code(200)
      .headers({
        'Content-Type': `${mime}; charset=utf-8`,
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': `public, max-age=${ASSET_AGE_SECONDS_MAX}`,
      })
      .send(content);
    return Promise.resolve();
  };
}

/** Redirects an address that people try, or that an earlier version had. */
function redirectPage(path: string): Page {
  return (_platform, _request, reply) => {
    sendRedirect(reply, path);
    return Promise.resolve();
  };
}

/** Answers browsers' requests for an icon: there is none, which is not an error. */
const noIcon: Page = (_platform, _request, reply) => {
  void reply.code(204).header('Cache-Control', `public, max-age=${ASSET_AGE_SECONDS_MAX}`).send();
  return Promise.resolve();
};

/** Returns every page by its address, preceded by the method where it is not GET. */
export function createPages(describer: Describer): Readonly<Record<string, Page>> {
  return { ...fixedPages, ...operationPages(describer) };
}

const fixedPages: Readonly<Record<string, Page>> = {
  '/': homePage,
  '/signin': signInPage,
  'POST /signin': signIn,
  'POST /signout': signOut,
  '/register': registerPage,
  'POST /register': register,
  '/confirm/:token': confirmPage,
  'POST /confirm/:token': confirmRegistration,
  '/unsubscribe/:token': unsubscribePage,
  'POST /unsubscribe/:token': unsubscribe,
  '/secure/:token': securePage,
  'POST /secure/:token': openSecure,
  '/secure/:token/body': secureBody,
  '/account': accountPage,
  'POST /account': changePassword,
  'POST /account/sessions/end': endOwnSessions,
  '/preferences': preferencesPage,
  '/notifications': notificationsPage,
  '/notifications/panel': notificationPanel,
  '/notifications/:id': openNotification,
  'POST /notifications/read': markNotificationsRead,
  'POST /follow': changeFollow,
  'POST /preferences': savePreferences,
  '/sidebar': sidebarFragment,
  '/pinned-views': pinnedViewsPage,
  'POST /pinned-views/:id': arrangePin,
  '/account/confirm': confirmIdentityPage,
  'POST /account/confirm': confirmIdentityPage,
  '/search': searchPage,
  '/cases': casesPage,
  ...knownListPages,
  'POST /lists/:module/views': changeView,
  '/preview/:module/:id': previewPage,
  '/messages': inboxPage,
  '/messages/new': composePage,
  'POST /messages/new': sendMessage,
  '/messages/unfiled': unfiledPage,
  '/messages/set-aside': setAsidePage,
  'POST /messages/set-aside': retryMail,
  '/messages/:id': threadPage,
  '/messages/:id/recipients': outcomePage,
  'POST /messages/:id/recipients': resendMessage,
  'POST /messages/:id': changeMessage,
  '/ledgers/:id': ledgerPage,
  'POST /ledgers/:id': postLedger,
  '/ledgers/:id/paste': pastePage,
  'POST /ledgers/:id/paste': addPastedLines,
  '/ledgers/:id/pay': paymentFormPage,
  'POST /ledgers/:id/pay': applyPayment,
  '/ledgers/:id/payments/:line': paymentPage,
  'POST /ledgers/:id/payments/:line': reversePayment,
  '/timesheets': timePage,
  'POST /timesheets': reviewTime,
  '/payments': paymentsPage,
  '/payments/subscriptions': subscriptionsPage,
  'POST /payments/subscriptions': cancelSubscription,
  '/payments/subscriptions/new': newSubscriptionPage,
  'POST /payments/subscriptions/new': startSubscription,
  '/payments/disputes': disputesPage,
  '/payments/reconciliation': reconciliationPage,
  'POST /payments/reconciliation': changeReconciliation,
  '/payments/methods': methodsPage,
  'POST /payments/methods': changeMethods,
  '/payments/methods/continue': continueMethodPage,
  '/payments/methods/return': returnFromGateway,
  '/payments/test-gateway/:reference': testGatewayPage,
  'POST /payments/test-gateway/:reference': completeTestGatewayPage,
  '/payments/charge/:id': chargePage,
  'POST /payments/charge/:id': chargeLedger,
  '/payments/:id': gatewayPaymentPage,
  'POST /payments/:id': changePayment,
  '/administration/payment-gateways': gatewaysPage,
  'POST /administration/payment-gateways': testGateway,
  '/mailings/new': newMailingPage,
  'POST /mailings/new': prepareMailing,
  '/mailings/:id': mailingPage,
  'POST /mailings/:id': changeMailing,
  'POST /mail-houses/:id/test': testMailHouse,
  'POST /bulk/:module': bulkPage,
  'POST /bulk/runs/:id': controlBulkRun,
  '/bulk/:id': bulkRunPage,
  '/welcome': welcomePage,
  'POST /welcome/hide': hideWelcome,
  'POST /palette': paletteResultsPage,
  '/shortcuts': shortcutsPage,
  '/records': recordsPage,
  '/records/:module': recordListPage,
  'POST /records/:module/number': numberSearchPage,
  '/records/:module/new': newPage,
  'POST /records/:module/new': saveNew,
  '/records/:module/:id': recordPage,
  '/records/:module/:id/edit': editPage,
  'POST /records/:module/:id/edit': saveEdit,
  '/records/:module/:id/delete': deletePage,
  'POST /records/:module/:id/delete': confirmDelete,
  'POST /records/:module/:id/undelete': restoreDeleted,
  'POST /records/:module/:id/undo': undoChange,
  '/records/:module/:id/asof': asOfPage,
  'POST /records/:module/:id/rollback': rollBack,
  '/records/:module/:id/history': historyPage,
  '/configure': configurePage,
  '/configure/changes': configurationChangesPage,
  '/configure/problems': problemsPage,
  '/configure/export': exportPage,
  '/configure/import': configurationImportPage,
  'POST /configure/import': runImport,
  '/configure/uses/:module/:id': usesPage,
  '/configure/layouts/:id': layoutPage,
  'POST /configure/layouts/:id': changeLayout,
  '/configure/layouts/:id/publish': publishLayoutPage,
  'POST /configure/layouts/:id/publish': publishLayout,
  '/configure/layouts/:id/discard': discardLayoutPage,
  'POST /configure/layouts/:id/discard': discardLayout,
  '/configure/layouts/:id/versions': layoutVersionsPage,
  'POST /configure/layouts/:id/versions': restoreLayoutVersion,
  '/configure/documents/:id': documentTypePage,
  'POST /configure/documents/:id': changeDocumentType,
  '/configure/messages/:id': messageTemplatePage,
  'POST /configure/messages/:id': changeMessageTemplate,
  '/configure/messages/:id/recipients': templateOutcomePage,
  'POST /configure/messages/:id/preview': messageTemplatePreview,
  '/configure/messages/:id/frame': messageTemplateFrame,
  'POST /configure/messages/:id/frame': messageTemplateFrame,
  '/configure/ledgers/:id': ledgerTemplatePage,
  'POST /configure/ledgers/:id': saveLedgerTemplate,
  '/configure/ledgers/:id/lines/:line': templateLinePage,
  'POST /configure/ledgers/:id/lines/:line': saveTemplateLine,
  '/configure/imports/:id': importTypePage,
  'POST /configure/imports/:id': tryImportType,
  '/configure/matrices/:id': matrixPage,
  '/configure/matrices/:id/checks': matrixChecksPage,
  '/configure/matrices/:id/try': trialPage,
  'POST /configure/matrices/:id/try': trialPage,
  '/configure/try/:module/:id': tryPage,
  'POST /configure/try/:module/:id': tryPage,
  'POST /choices/:module': recordChoicesPage,
  '/configure/matrices/:id/publish': publishPage,
  'POST /configure/matrices/:id/publish': publishMatrix,
  '/configure/matrices/:id/discard': discardPage,
  'POST /configure/matrices/:id/discard': discardMatrix,
  '/configure/matrices/:id/accept': acceptPage,
  'POST /configure/matrices/:id/accept': acceptWarning,
  '/configure/matrices/:id/columns': matrixColumnsPage,
  'POST /configure/matrices/:id/columns': changeMatrixColumns,
  '/configure/matrices/:id/columns/:column': matrixColumnPage,
  'POST /configure/matrices/:id/columns/:column': changeMatrixColumn,
  '/configure/matrices/:id/columns/:column/remove': removeColumnPage,
  'POST /configure/matrices/:id/columns/:column/remove': removeMatrixColumn,
  '/configure/matrices/:id/versions': matrixVersionsPage,
  'POST /configure/matrices/:id/versions': restoreMatrixVersion,
  '/configure/matrices/:id/uses': matrixUsesPage,
  '/configure/matrices/:id/import': matrixImportPage,
  'POST /configure/matrices/:id/import': importMatrix,
  '/configure/matrices/:id/rows/:row': matrixRowPage,
  'POST /configure/matrices/:id/rows/:row': saveMatrixRow,
  '/work': workPage,
  'POST /work': doWork,
  '/team': teamPage,
  'POST /team': changeItems,
  '/item/why': whyPage,
  '/item/skip': skipPage,
  '/item/note': notePage,
  '/item/reassign': reassignPage,
  '/case/:class/:id': casePage,
  'POST /case/:class/:id': changeCase,
  '/case/:class/:id/dates': datesPage,
  '/case/:class/:id/:change': changePage,
  'POST /case/:class/:id/:change': confirmChange,
  '/assignments': assignmentsPage,
  'POST /assignments': changeAssignments,
  '/assignments/:id': comparePage,
  '/form/new': newFormPage,
  'POST /form/new': saveNewForm,
  '/form/:id': formPage,
  'POST /form/:id': saveForm,
  'POST /documents/upload': uploadDocument,
  'POST /documents/bulk': changeDocuments,
  '/documents/generate': generatePage,
  'POST /documents/generate': generateOnRecord,
  '/documents/:id': viewerPage,
  'POST /documents/:id': changeDocument,
  '/documents/:id/duplicates': duplicatesPage,
  '/documents/:id/quarantine': quarantinePage,
  'POST /documents/:id/quarantine': changeQuarantine,
  '/legal-holds': legalHoldsPage,
  'POST /legal-holds': placeLegalHold,
  '/legal-holds/:id': legalHoldPage,
  'POST /legal-holds/:id': changeLegalHold,
  '/imports': importsPage,
  '/imports/new': uploadPage,
  '/imports/sftp': sftpPage,
  '/imports/:id': importPage,
  'POST /imports/:id': controlImport,
  '/imports/:id/again': requeuePage,
  '/imports/:id/calls/:call': batchCallPage,
  'POST /imports/:id/calls/:call': correctBatchCall,
  '/imports/:id/correct': importRowPage,
  'POST /imports/:id/correct': correctImportRow,
  '/imports/:id/rows/:line': importRowPage,
  'POST /imports/:id/rows/:line': correctImportRow,
  '/administration': administrationPage,
  '/administration/users': usersPage,
  '/administration/users/new': newUserPage,
  'POST /administration/users/new': saveNewUser,
  '/administration/users/:id': userPage,
  'POST /administration/users/:id': saveUser,
  'POST /administration/users/:id/key': createKey,
  '/administration/users/:id/holdings': userHoldingsPage,
  'POST /administration/users/:id/deactivate': deactivateUser,
  'POST /administration/users/:id/reactivate': reactivateUser,
  '/admin': redirectPage('/administration'),
  '/administration/roles': rolesPage,
  '/administration/roles/compare': roleComparisonPage,
  '/administration/keys': keysPage,
  'POST /administration/keys/revoke': revokeKey,
  '/administration/sessions': sessionsPage,
  'POST /administration/sessions/end': endSession,
  '/administration/settings': settingsPage,
  'POST /administration/settings': saveSetting,
  '/administration/settings/history': settingHistoryPage,
  '/administration/queues': queuesPage,
  'POST /administration/queues': controlQueue,
  '/administration/mail-servers': mailServersPage,
  'POST /administration/mail-servers': testMailServer,
  '/administration/mailboxes': mailboxesPage,
  'POST /administration/mailboxes': changeMailbox,
  '/administration/blocked-addresses': blockedPage,
  'POST /administration/blocked-addresses': changeBlocked,
  '/administration/files': filesPage,
  '/administration/queues/cause': causePage,
  '/administration/queues/messages/:id': queuedMessagePage,
  '/administration/queues/retries/:id': queueRetryPage,
  'POST /administration/queues/retries/:id': stopQueueRetry,
  '/administration/indexes': indexesPage,
  'POST /administration/indexes': changeIndexes,
  '/administration/security': securityPage,
  '/administration/health': healthPage,
  'POST /administration/health': changeHealth,
  '/*': unknownPage,
  '/favicon.ico': noIcon,
  '/design': galleryPage,
  '/assets/:file': assetPage,
  '/style.css': asset('text/css', ...ANSWER_SHEETS),
};
