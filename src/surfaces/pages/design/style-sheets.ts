/**
 * The style sheets of the console, in the order in which they are joined. Paths are below `pages/`. A component's sheet
 * is beside it; a page's sheet is in the folder of its subject.
 */
export const styleSheets: readonly string[] = [
  'design/tokens.css',
  'design/base.css',
  'design/button.css',
  'design/field.css',
  'design/badge.css',
  'design/stage.css',
  'design/avatar.css',
  'design/card.css',
  'design/table.css',
  'design/list.css',
  'design/tabs.css',
  'design/menu.css',
  'design/banner.css',
  'design/toast.css',
  'design/dialog.css',
  'design/progress.css',
  'design/empty.css',
  'design/gallery.css',
  'case/case.css',
  'case/activity.css',
  'case/workflow.css',
  'case/case-responsive.css',
  'palette/palette.css',
  'first-run/first-run.css',
  'shell/shell.css',
  'editors/editor-shell.css',
  'editors/layout.css',
  'editors/matrix.css',
  'configure/configure.css',
  'notifications/notifications.css',
  'lists/lists.css',
  'shell/print.css',
  'home/home.css',
  'work/work-mode.css',
  'forms/task-form.css',
  'team/team.css',
  'sign-in/sign-in.css',
  'imports/imports.css',
  'administration/administration.css',
  'styles/doc.css',
];

/** The style sheets of pages from before the console, which apply inside `.doc` only. */
export const docSheets: readonly string[] = ['base', 'components', 'forms', 'workflow', 'work'].map(
  (name) => `styles/${name}.css`,
);
