package com.example.shop;

/** An order, as callers send it and as the payload of its item. */
record Order(String id, String sku, int count) {}
