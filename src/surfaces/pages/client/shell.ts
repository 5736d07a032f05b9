// The script of every page. Without it everything still works.
import { watchDialogs } from './dialogs.ts';
import { keepDrafts } from './drafts.ts';
import { guardForms } from './forms.ts';
import { obeyKeys } from './shortcuts.ts';
import { watchBell } from './bell.ts';
import { watchLive } from './live.ts';
import { addLookups } from './lookup.ts';
import { watchKeysHelp } from './keys-help.ts';
import { watchMenus } from './menus.ts';
import { watchPalette } from './palette.ts';
import { watchSidebar } from './sidebar-toggle.ts';
import { watchToasts } from './toasts.ts';

obeyKeys();
guardForms();
keepDrafts();
addLookups();
watchMenus();
watchDialogs();
watchSidebar();
watchToasts();
watchBell();
watchLive();
watchPalette();
watchKeysHelp();
