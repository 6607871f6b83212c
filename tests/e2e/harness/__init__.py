"""The bed of the end-to-end tests: real servers, built once, started on loopback, gone afterwards."""
