import { hideWelcome, welcomePage } from './first-run/welcome-page.ts';
import { shortcutsPage } from './palette/shortcuts-page.ts';
import { paletteResultsPage } from './palette/palette-results.ts';
import { readFileSync } from 'node:fs';
import type { Describer } from '../shared/description.ts';
import { accountPage, changePassword, endOwnSessions } from './account.ts';
import { assetPage } from './assets/assets.ts';
import { administrationPage } from './administration/overview.ts';
import { healthPage } from './administration/health.ts';
import { rolesPage } from './administration/roles.ts';
import { securityPage } from './administration/security-log.ts';
import { endSession, sessionsPage } from './administration/sessions.ts';
import { changeIndexes, indexesPage } from './administration/indexes.ts';
import { keysPage, revokeKey } from './administration/keys.ts';
import { controlQueue, queuesPage } from './administration/queues.ts';
import { saveSetting, settingsPage } from './administration/settings.ts';
import { createKey, newUserPage, saveNewUser, saveUser, userPage, usersPage } from './administration/users.ts';
import { casePage, changeCase } from './case/case-page.ts';
import { changePage, confirmChange } from './case/change-page.ts';
import { datesPage } from './case/dates-page.ts';
import { configurePage } from './configure/configure-page.ts';
import { changeLayout, layoutPage } from './editors/layout-page.ts';
import { confirmIdentityPage } from './confirm.ts';
import { confirmDelete, deletePage, editPage, newPage, restoreDeleted, saveEdit, saveNew } from './edit.ts';
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
import { matrixUsesPage, matrixVersionsPage, restoreMatrixVersion } from './editors/matrix-versions.ts';
import { formPage, newFormPage, saveForm, saveNewForm } from './forms/task-form.ts';
import { historyPage } from './history.ts';
import { galleryPage } from './design/gallery.ts';
import { homePage } from './home/home-page.ts';
import { requeuePage } from './imports/batch-failures.ts';
import { controlImport, importPage } from './imports/import-page.ts';
import { importsPage } from './imports/imports-page.ts';
import { correctImportRow, importRowPage } from './imports/row-page.ts';
import { uploadPage } from './imports/upload-page.ts';
import { asOfPage, rollBack, undoChange } from './as-of.ts';
import { listPage, recordsPage } from './list.ts';
import { bulkPage } from './lists/bulk-page.ts';
import { bulkRunPage, controlBulkRun } from './lists/bulk-run-page.ts';
import { casesPage, knownListPages } from './lists/list-page.ts';
import { previewPage } from './lists/preview.ts';
import { changeView } from './lists/view-actions.ts';
import { assignmentsPage, changeAssignments } from './loans/assignment-list.ts';
import { comparePage } from './loans/compare-page.ts';
import { numberSearchPage } from './number-search.ts';
import { operationPages } from './operations.ts';
import { sendRedirect, type Page } from './page.ts';
import { unknownPage } from './unknown.ts';
import { changeFollow } from './notifications/follow-button.ts';
import { markNotificationsRead, notificationsPage, openNotification } from './notifications/notifications-page.ts';
import { preferencesPage, savePreferences } from './preferences/preferences-page.ts';
import { recordPage } from './record.ts';
import { confirmPage, confirmRegistration, register, registerPage } from './sign-in/registration.ts';
import { searchPage } from './search.ts';
import { notePage, reassignPage, skipPage } from './work/action-pages.ts';
import { changeItems } from './team/move-items.ts';
import { teamPage } from './team/team-page.ts';
import { whyPage } from './team/why-page.ts';
import { signIn, signInPage, signOut } from './sign-in/sign-in.ts';
import { doWork, workPage } from './work/work-page.ts';

/** How long browsers cache styles and scripts: long enough for one visit, short enough for an upgrade. */
const ASSET_AGE_SECONDS_MAX = 300;

/** The stylesheets, in the order in which they are joined into `/style.css`. */
const STYLESHEETS = ['base', 'answer', 'layout', 'components', 'forms', 'workflow', 'work', 'print'].map(
  (name) => `styles/${name}.css`,
);

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
  '/account': accountPage,
  'POST /account': changePassword,
  'POST /account/sessions/end': endOwnSessions,
  '/preferences': preferencesPage,
  '/notifications': notificationsPage,
  '/notifications/:id': openNotification,
  'POST /notifications/read': markNotificationsRead,
  'POST /follow': changeFollow,
  'POST /preferences': savePreferences,
  '/account/confirm': confirmIdentityPage,
  'POST /account/confirm': confirmIdentityPage,
  '/search': searchPage,
  '/cases': casesPage,
  ...knownListPages,
  'POST /lists/:module/views': changeView,
  '/preview/:module/:id': previewPage,
  'POST /bulk/:module': bulkPage,
  'POST /bulk/runs/:id': controlBulkRun,
  '/bulk/:id': bulkRunPage,
  '/welcome': welcomePage,
  'POST /welcome/hide': hideWelcome,
  'POST /palette': paletteResultsPage,
  '/shortcuts': shortcutsPage,
  '/records': recordsPage,
  '/records/:module': listPage,
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
  '/configure/layouts/:id': layoutPage,
  'POST /configure/layouts/:id': changeLayout,
  '/configure/matrices/:id': matrixPage,
  '/configure/matrices/:id/checks': matrixChecksPage,
  '/configure/matrices/:id/try': trialPage,
  '/configure/matrices/:id/publish': publishPage,
  'POST /configure/matrices/:id/publish': publishMatrix,
  '/configure/matrices/:id/discard': discardPage,
  'POST /configure/matrices/:id/discard': discardMatrix,
  '/configure/matrices/:id/accept': acceptPage,
  'POST /configure/matrices/:id/accept': acceptWarning,
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
  '/imports': importsPage,
  '/imports/new': uploadPage,
  '/imports/:id': importPage,
  'POST /imports/:id': controlImport,
  '/imports/:id/again': requeuePage,
  '/imports/:id/rows/:line': importRowPage,
  'POST /imports/:id/rows/:line': correctImportRow,
  '/administration': administrationPage,
  '/administration/users': usersPage,
  '/administration/users/new': newUserPage,
  'POST /administration/users/new': saveNewUser,
  '/administration/users/:id': userPage,
  'POST /administration/users/:id': saveUser,
  'POST /administration/users/:id/key': createKey,
  '/admin': redirectPage('/administration'),
  '/administration/roles': rolesPage,
  '/administration/keys': keysPage,
  'POST /administration/keys/revoke': revokeKey,
  '/administration/sessions': sessionsPage,
  'POST /administration/sessions/end': endSession,
  '/administration/settings': settingsPage,
  'POST /administration/settings': saveSetting,
  '/administration/queues': queuesPage,
  'POST /administration/queues': controlQueue,
  '/administration/indexes': indexesPage,
  'POST /administration/indexes': changeIndexes,
  '/administration/security': securityPage,
  '/administration/health': healthPage,
  '/*': unknownPage,
  '/favicon.ico': noIcon,
  '/design': galleryPage,
  '/assets/:file': assetPage,
  '/style.css': asset('text/css', ...STYLESHEETS),
  '/upload.js': asset('text/javascript', 'upload.js'),
  '/work.js': asset('text/javascript', 'work/work.js'),
};
