// Tries rules and scorecards while values are changed. Without it the form is submitted.
import { watchTrial } from './trial-form.ts';

watchTrial();
