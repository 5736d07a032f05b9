// The form of a task on its own page.
import { defineTaskAnswers } from './task-answers.ts';

defineTaskAnswers();
