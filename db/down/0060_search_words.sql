-- down: the search for words within names and addresses
drop index if exists contact_words_idx, loan_words_idx, process_words_idx, property_words_idx;
drop function casewright_words_query(text);
drop function casewright_words(text);
