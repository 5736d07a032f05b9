-- down: nothing; misspelled names are no longer found
drop index contact_names_idx;
drop function casewright_find_names(text, text, integer);
drop function casewright_name_query(text, boolean);
drop function casewright_name_keys(text);
drop function casewright_name_sound(text);
