-- down: who is signed in at a browser has to sign in again
drop index contact_label_idx;
drop index property_label_idx;
drop index loan_label_idx;
drop index loan_servicerloanid_idx;
drop index process_label_idx;
drop table session;
